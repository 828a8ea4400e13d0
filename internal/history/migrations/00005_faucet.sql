-- +goose Up
-- What accounts took from the faucet of a sandbox: kind 6 of records.
CREATE VIEW faucet AS
SELECT account, id, asset,
    coalesce((message -> 'taken' ->> 'amount')::numeric, 0) AS amount,
    coalesce((message ->> 'left')::numeric, 0) AS "left",
    moment(time) AS at,
    seq
FROM records WHERE kind = 6;

-- +goose Down
DROP VIEW faucet;
