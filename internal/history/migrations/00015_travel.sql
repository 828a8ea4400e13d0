-- +goose Up
-- Deposits that the travel rule holds back.
CREATE OR REPLACE VIEW deposits AS
SELECT account, id >> 1 AS deposit, asset,
    coalesce((message -> 'deposit' ->> 'chain')::bigint, 0) AS chain,
    coalesce((message -> 'deposit' ->> 'amount')::numeric, 0) AS amount,
    coalesce((message -> 'deposit' ->> 'fee')::numeric, 0) AS fee,
    CASE (message -> 'deposit' ->> 'status')::bigint WHEN 1 THEN 'confirming' WHEN 2 THEN 'held' WHEN 3 THEN 'credited' WHEN 4 THEN 'uncredited'
        WHEN 5 THEN 'frozen' WHEN 6 THEN 'canceled' WHEN 7 THEN 'lost' WHEN 8 THEN 'travel' WHEN 9 THEN 'review' END AS status,
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

-- +goose Down
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
