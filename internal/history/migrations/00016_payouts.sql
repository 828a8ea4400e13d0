-- +goose Up
-- Withdrawals and refunds that a transaction is bound to pay, and withdrawals of which a provider paid a part.
CREATE OR REPLACE VIEW withdrawals AS
SELECT account, id >> 1 AS withdrawal, asset,
    coalesce((message -> 'withdrawal' ->> 'chain')::bigint, 0) AS chain,
    coalesce((message -> 'withdrawal' ->> 'amount')::numeric, 0) AS amount,
    coalesce((message -> 'withdrawal' ->> 'fee')::numeric, 0) AS fee,
    CASE (message -> 'withdrawal' ->> 'status')::bigint WHEN 1 THEN 'review' WHEN 2 THEN 'frozen' WHEN 3 THEN 'queued' WHEN 4 THEN 'sent'
        WHEN 5 THEN 'mined' WHEN 6 THEN 'done' WHEN 7 THEN 'canceled' WHEN 8 THEN 'planned' WHEN 9 THEN 'partial' END AS status,
    coalesce((message -> 'withdrawal' ->> 'height')::bigint, 0) AS height,
    coalesce(message -> 'withdrawal' ->> 'tx', '') AS transaction,
    coalesce((message -> 'withdrawal' ->> 'to')::bigint, 0) AS receiver,
    coalesce((message -> 'withdrawal' ->> 'needed')::bigint, 0) AS needed,
    coalesce(message -> 'withdrawal' ->> 'approver', '') AS approver,
    coalesce(message -> 'withdrawal' ->> 'address', '') AS address,
    coalesce(message -> 'withdrawal' ->> 'memo', '') AS memo,
    coalesce(message -> 'withdrawal' ->> 'unique', '') AS unique_id,
    moment(time) AS created,
    moment(coalesce((message -> 'withdrawal' ->> 'changed')::bigint, 0)) AS changed,
    seq,
    coalesce((message -> 'withdrawal' ->> 'asked')::numeric, 0) AS asked
FROM records WHERE kind = 13 AND id & 1 = 1;

CREATE OR REPLACE VIEW refunds AS
SELECT account, id AS refund, asset,
    coalesce((message ->> 'refund')::bigint, 0) AS deposit,
    coalesce((message ->> 'chain')::bigint, 0) AS chain,
    coalesce((message ->> 'amount')::numeric, 0) AS amount,
    coalesce((message ->> 'fee')::numeric, 0) AS fee,
    CASE (message ->> 'status')::bigint WHEN 1 THEN 'review' WHEN 2 THEN 'frozen' WHEN 3 THEN 'queued' WHEN 4 THEN 'sent'
        WHEN 5 THEN 'mined' WHEN 6 THEN 'done' WHEN 7 THEN 'canceled' WHEN 8 THEN 'planned' END AS status,
    coalesce((message ->> 'height')::bigint, 0) AS height,
    coalesce(message ->> 'tx', '') AS transaction,
    coalesce(message ->> 'address', '') AS address,
    coalesce(message ->> 'memo', '') AS memo,
    moment(time) AS created,
    moment(coalesce((message ->> 'changed')::bigint, 0)) AS changed,
    seq
FROM records WHERE kind = 14;

-- +goose Down
DROP VIEW withdrawals;
CREATE VIEW withdrawals AS
SELECT account, id >> 1 AS withdrawal, asset,
    coalesce((message -> 'withdrawal' ->> 'chain')::bigint, 0) AS chain,
    coalesce((message -> 'withdrawal' ->> 'amount')::numeric, 0) AS amount,
    coalesce((message -> 'withdrawal' ->> 'fee')::numeric, 0) AS fee,
    CASE (message -> 'withdrawal' ->> 'status')::bigint WHEN 1 THEN 'review' WHEN 2 THEN 'frozen' WHEN 3 THEN 'queued' WHEN 4 THEN 'sent'
        WHEN 5 THEN 'mined' WHEN 6 THEN 'done' WHEN 7 THEN 'canceled' END AS status,
    coalesce((message -> 'withdrawal' ->> 'height')::bigint, 0) AS height,
    coalesce(message -> 'withdrawal' ->> 'tx', '') AS transaction,
    coalesce((message -> 'withdrawal' ->> 'to')::bigint, 0) AS receiver,
    coalesce((message -> 'withdrawal' ->> 'needed')::bigint, 0) AS needed,
    coalesce(message -> 'withdrawal' ->> 'approver', '') AS approver,
    coalesce(message -> 'withdrawal' ->> 'address', '') AS address,
    coalesce(message -> 'withdrawal' ->> 'memo', '') AS memo,
    coalesce(message -> 'withdrawal' ->> 'unique', '') AS unique_id,
    moment(time) AS created,
    moment(coalesce((message -> 'withdrawal' ->> 'changed')::bigint, 0)) AS changed,
    seq
FROM records WHERE kind = 13 AND id & 1 = 1;

CREATE OR REPLACE VIEW refunds AS
SELECT account, id AS refund, asset,
    coalesce((message ->> 'refund')::bigint, 0) AS deposit,
    coalesce((message ->> 'chain')::bigint, 0) AS chain,
    coalesce((message ->> 'amount')::numeric, 0) AS amount,
    coalesce((message ->> 'fee')::numeric, 0) AS fee,
    CASE (message ->> 'status')::bigint WHEN 1 THEN 'review' WHEN 2 THEN 'frozen' WHEN 3 THEN 'queued' WHEN 4 THEN 'sent'
        WHEN 5 THEN 'mined' WHEN 6 THEN 'done' WHEN 7 THEN 'canceled' END AS status,
    coalesce((message ->> 'height')::bigint, 0) AS height,
    coalesce(message ->> 'tx', '') AS transaction,
    coalesce(message ->> 'address', '') AS address,
    coalesce(message ->> 'memo', '') AS memo,
    moment(time) AS created,
    moment(coalesce((message ->> 'changed')::bigint, 0)) AS changed,
    seq
FROM records WHERE kind = 14;
