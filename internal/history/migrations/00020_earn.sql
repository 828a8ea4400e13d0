-- +goose Up
-- What accounts invested, and what became of it.
CREATE VIEW investments AS
SELECT account, id AS investment, asset,
    coalesce((message ->> 'plan')::bigint, 0) AS plan,
    CASE WHEN message ->> 'due' IS NULL THEN 'flex' ELSE 'fixed' END AS kind,
    coalesce((message ->> 'amount')::numeric, 0) AS amount,
    coalesce((message ->> 'interest')::numeric, 0) AS interest,
    coalesce((message ->> 'paid')::numeric, 0) AS paid,
    moment(nullif((message ->> 'due')::bigint, 0)) AS due,
    coalesce((message ->> 'closed')::boolean, false) AS closed,
    moment(time) AS created,
    moment(coalesce((message ->> 'updated')::bigint, 0)) AS updated,
    seq
FROM records WHERE kind = 19;

CREATE VIEW earnings AS
SELECT account, id AS earning, ref AS investment, asset,
    coalesce((message ->> 'plan')::bigint, 0) AS plan,
    coalesce((message ->> 'amount')::numeric, 0) AS amount,
    (ARRAY['invested', 'reinvested', 'withdrawn', 'daily earning', 'closed', 'opened', 'interest', 'principal', 'began'])[(message ->> 'action')::bigint] AS action,
    moment(time) AS time, seq
FROM records WHERE kind = 20;

-- +goose Down
DROP VIEW earnings, investments;
