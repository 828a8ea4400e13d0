-- +goose Up

-- kind 5: what operators did. The command stands in the payload under its name.
CREATE VIEW acts AS
SELECT id, tag AS operator, moment(time) AS at,
    coalesce(payload ->> 'refusal', '') AS refusal,
    payload - 'operator' - 'refusal' - 'made' AS command,
    seq
FROM records WHERE kind = 5;

-- +goose Down
DROP VIEW acts;
