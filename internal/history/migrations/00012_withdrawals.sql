-- +goose Up
-- Withdrawals: those of kind 13 of records that have an odd number. Deposits that another customer sent say who it was.
CREATE OR REPLACE VIEW deposits AS
SELECT account, id >> 1 AS deposit, asset,
    coalesce((message -> 'deposit' ->> 'chain')::bigint, 0) AS chain,
    coalesce((message -> 'deposit' ->> 'amount')::numeric, 0) AS amount,
    coalesce((message -> 'deposit' ->> 'fee')::numeric, 0) AS fee,
    CASE (message -> 'deposit' ->> 'status')::bigint WHEN 1 THEN 'confirming' WHEN 2 THEN 'held' WHEN 3 THEN 'credited' WHEN 4 THEN 'uncredited'
        WHEN 5 THEN 'frozen' WHEN 6 THEN 'canceled' WHEN 7 THEN 'lost' END AS status,
    coalesce((message -> 'deposit' ->> 'reversed')::boolean, false) AS reversed,
    coalesce((message -> 'deposit' ->> 'height')::bigint, 0) AS height,
    coalesce(message -> 'deposit' ->> 'receipt', '') AS receipt,
    coalesce(message -> 'deposit' ->> 'address', '') AS address,
    coalesce(message -> 'deposit' ->> 'memo', '') AS memo,
    moment(time) AS created,
    moment(coalesce((message -> 'deposit' ->> 'changed')::bigint, 0)) AS changed,
    seq,
    coalesce((message -> 'deposit' ->> 'from')::bigint, 0) AS sender
FROM records WHERE kind = 13 AND id & 1 = 0;

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

-- +goose Down
DROP VIEW withdrawals;
DROP VIEW deposits;
CREATE VIEW deposits AS
SELECT account, id >> 1 AS deposit, asset,
    coalesce((message -> 'deposit' ->> 'chain')::bigint, 0) AS chain,
    coalesce((message -> 'deposit' ->> 'amount')::numeric, 0) AS amount,
    coalesce((message -> 'deposit' ->> 'fee')::numeric, 0) AS fee,
    CASE (message -> 'deposit' ->> 'status')::bigint WHEN 1 THEN 'confirming' WHEN 2 THEN 'held' WHEN 3 THEN 'credited' WHEN 4 THEN 'uncredited'
        WHEN 5 THEN 'frozen' WHEN 6 THEN 'canceled' WHEN 7 THEN 'lost' END AS status,
    coalesce((message -> 'deposit' ->> 'reversed')::boolean, false) AS reversed,
    coalesce((message -> 'deposit' ->> 'height')::bigint, 0) AS height,
    coalesce(message -> 'deposit' ->> 'receipt', '') AS receipt,
    coalesce(message -> 'deposit' ->> 'address', '') AS address,
    coalesce(message -> 'deposit' ->> 'memo', '') AS memo,
    moment(time) AS created,
    moment(coalesce((message -> 'deposit' ->> 'changed')::bigint, 0)) AS changed,
    seq
FROM records WHERE kind = 13 AND id & 1 = 0;

