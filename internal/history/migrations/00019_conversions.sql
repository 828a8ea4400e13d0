-- +goose Up
-- Conversions that were done: kind 18 of records. Their time is that of their quotes.
CREATE VIEW conversions AS
SELECT account, id AS conversion, asset AS gave,
    coalesce((message ->> 'to')::bigint, 0) AS received,
    coalesce((message ->> 'give')::numeric, 0) AS give,
    coalesce((message ->> 'receive')::numeric, 0) AS receive,
    coalesce((message ->> 'rate')::numeric, 0) AS rate,
    coalesce(json_array_length(message -> 'path'), 0) AS hops,
    moment(time) AS quoted,
    moment(coalesce((message ->> 'done')::bigint, 0)) AS done,
    seq
FROM records WHERE kind = 18;

-- +goose Down
DROP VIEW conversions;
