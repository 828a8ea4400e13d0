-- +goose Up
-- Codes that accounts created, and what came to them by codes: kind 12 of records.
CREATE VIEW codes AS
SELECT account, id >> 1 AS code, asset,
    CASE class WHEN 14 THEN 1 ELSE -1 END * coalesce((message ->> 'amount')::numeric, 0) AS amount,
    CASE class WHEN 11 THEN 'active' WHEN 12 THEN 'applied' WHEN 13 THEN 'returned' ELSE
        CASE coalesce((message ->> 'status')::bigint, 0) WHEN 2 THEN 'applied' ELSE 'returned' END END AS status,
    coalesce(message ->> 'description', '') AS description,
    moment(time) AS at,
    seq
FROM records WHERE kind = 12;

-- +goose Down
DROP VIEW codes;
