-- +goose Up
-- What miners brought, what the pool pays for it, and the blocks that it found. Work is counted in units of 2^-unit of difficulty 1.
CREATE VIEW rewards AS
SELECT account, id AS reward, asset,
    coalesce((message ->> 'mining')::bigint, 0) AS mining,
    coalesce((message ->> 'work')::numeric, 0) AS work,
    coalesce((message ->> 'unit')::bigint, 0) AS unit,
    coalesce((message ->> 'rate')::numeric, 0) AS rate,
    coalesce((message ->> 'total')::numeric, 0) AS total,
    coalesce((message ->> 'fee')::numeric, 0) AS fee,
    coalesce((message ->> 'amount')::numeric, 0) AS amount,
    (ARRAY['pending', 'successful', 'canceled'])[(message ->> 'status')::bigint] AS status,
    coalesce((message ->> 'withdrawal')::bigint, 0) AS withdrawal,
    coalesce(message ->> 'address', '') AS address,
    coalesce(message ->> 'tx', '') AS transaction,
    moment(time) AS day,
    moment(nullif((message ->> 'paid')::bigint, 0)) AS paid,
    seq
FROM records WHERE kind = 21;

CREATE VIEW mining_measured AS
SELECT account, id AS mining,
    coalesce((message ->> 'work')::numeric, 0) AS work,
    coalesce((message ->> 'accepted')::numeric, 0) AS accepted,
    coalesce((message ->> 'rejected')::numeric, 0) AS rejected,
    moment(time) AS time, seq
FROM records WHERE kind = 22;

CREATE VIEW worker_shares AS
SELECT ref AS mining,
    coalesce(message ->> 'worker', '') AS worker,
    coalesce((message ->> 'work')::numeric, 0) AS work,
    coalesce((message ->> 'accepted')::numeric, 0) AS accepted,
    coalesce((message ->> 'rejected')::numeric, 0) AS rejected,
    moment(time) AS time, seq
FROM records WHERE kind = 24;

CREATE VIEW pool_blocks AS
SELECT coalesce((message ->> 'mining')::bigint, 0) AS mining,
    coalesce(message ->> 'worker', '') AS worker,
    coalesce((message ->> 'height')::numeric, 0) AS height,
    -- As people write it: the last byte first.
    (SELECT string_agg(encode(substring(decode(message ->> 'hash', 'base64') FROM n FOR 1), 'hex'), '' ORDER BY n DESC) FROM generate_series(1, 32) n) AS hash,
    moment(time) AS found, seq
FROM records WHERE kind = 25;

-- +goose Down
DROP VIEW pool_blocks, worker_shares, mining_measured, rewards;
