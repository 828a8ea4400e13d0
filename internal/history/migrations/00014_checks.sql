-- +goose Up
-- Checks of addresses are of kind 15.
CREATE VIEW checks AS
SELECT account, id AS "check", asset,
    coalesce(message ->> 'network', '') AS network,
    coalesce(message ->> 'address', '') AS address,
    CASE (message ->> 'status')::bigint WHEN 1 THEN 'in_progress' WHEN 2 THEN 'success' WHEN 3 THEN 'failed' END AS status,
    CASE (message ->> 'risk')::bigint WHEN 1 THEN 'low' WHEN 2 THEN 'medium' WHEN 3 THEN 'high' ELSE '' END AS risk,
    coalesce(message ->> 'description', '') AS description,
    moment(time) AS created,
    moment(nullif((message ->> 'checked')::bigint, 0)) AS checked,
    seq
FROM records WHERE kind = 15;

-- +goose Down
DROP VIEW checks;
