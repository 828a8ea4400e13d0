-- +goose Up
-- What ended or switched off keys, sessions and the access of programs. The cause is the number of a command.
CREATE VIEW notices AS
SELECT account,
    CASE class WHEN 44 THEN 'session' WHEN 45 THEN 'key' WHEN 46 THEN 'idle key' WHEN 47 THEN 'access' END AS about,
    coalesce(message ->> 'title', '') AS title,
    coalesce((message ->> 'partner')::bigint, 0) AS partner,
    coalesce((message ->> 'cause')::bigint, 0) AS cause,
    coalesce((message ->> 'operated')::boolean, false) AS operated,
    coalesce((message ->> 'signed')::boolean, false) AS signed,
    moment(time) AS time, seq
FROM records WHERE kind = 17;

-- +goose Down
DROP VIEW notices;
