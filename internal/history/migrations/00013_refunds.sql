-- +goose Up
-- Refunds are of kind 14.
CREATE VIEW refunds AS
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

-- +goose Down
DROP VIEW refunds;
