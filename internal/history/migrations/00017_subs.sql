-- +goose Up
-- What masters and their sub-accounts moved between them, and withdrawals that wait for a master.
CREATE VIEW sub_moves AS
SELECT account, id AS transfer, asset,
    coalesce((message -> 'move' ->> 'master')::bigint, 0) AS master,
    coalesce((message -> 'move' ->> 'to_sub')::boolean, false) AS to_sub,
    coalesce((message -> 'move' ->> 'amount')::numeric, 0) AS amount,
    moment(time) AS time, seq
FROM records WHERE kind = 16;

CREATE OR REPLACE VIEW withdrawals AS
SELECT account, id >> 1 AS withdrawal, asset,
    coalesce((message -> 'withdrawal' ->> 'chain')::bigint, 0) AS chain,
    coalesce((message -> 'withdrawal' ->> 'amount')::numeric, 0) AS amount,
    coalesce((message -> 'withdrawal' ->> 'fee')::numeric, 0) AS fee,
    CASE (message -> 'withdrawal' ->> 'status')::bigint WHEN 1 THEN 'review' WHEN 2 THEN 'frozen' WHEN 3 THEN 'queued' WHEN 4 THEN 'sent'
        WHEN 5 THEN 'mined' WHEN 6 THEN 'done' WHEN 7 THEN 'canceled' WHEN 8 THEN 'planned' WHEN 9 THEN 'partial' WHEN 10 THEN 'unconfirmed' END AS status,
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

-- +goose Down
DROP VIEW sub_moves;
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
