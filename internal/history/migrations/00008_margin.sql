-- +goose Up
-- Trading from collateral: kind 7 of records are changes of positions, 8 positions that were closed, 9 funding of positions,
-- 10 loans, 11 settlements of funding. Of a change of a position ref is the position.
-- +goose StatementBegin
CREATE FUNCTION position_side_word(number bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (ARRAY['BOTH', 'LONG', 'SHORT'])[number + 1];
-- +goose StatementEnd

CREATE VIEW positions AS
SELECT account, market, ref AS position,
    position_side_word(coalesce((message -> 'position' ->> 'side')::bigint, 0)) AS side,
    coalesce((message -> 'position' ->> 'amount')::numeric, 0) AS amount,
    coalesce((message -> 'position' ->> 'cost')::numeric, 0) AS cost,
    coalesce((message ->> 'order')::bigint, 0) AS "order",
    coalesce((message ->> 'deal')::bigint, 0) AS deal,
    coalesce((message ->> 'price')::numeric, 0) AS price,
    coalesce((message ->> 'amount')::numeric, 0) AS traded,
    coalesce((message ->> 'fee')::numeric, 0) AS fee,
    coalesce((message ->> 'realized')::numeric, 0) AS realized,
    coalesce((message ->> 'funding')::numeric, 0) AS funding,
    moment(time) AS at,
    seq
FROM records WHERE kind = 7;

CREATE VIEW closed AS
SELECT account, market, id AS position,
    position_side_word(coalesce((message -> 'position' ->> 'side')::bigint, 0)) AS side,
    coalesce((message -> 'position' ->> 'entered')::numeric, 0) AS amount,
    coalesce((message -> 'position' ->> 'paid')::numeric, 0) AS paid,
    coalesce((message ->> 'received')::numeric, 0) AS received,
    coalesce((message -> 'position' ->> 'realized')::numeric, 0) AS realized,
    coalesce((message -> 'position' ->> 'fees')::numeric, 0) AS fees,
    coalesce((message -> 'position' ->> 'funding')::numeric, 0) AS funding,
    moment((message -> 'position' ->> 'opened')::bigint) AS opened,
    moment((message -> 'position' ->> 'updated')::bigint) AS closed,
    seq
FROM records WHERE kind = 8;

CREATE VIEW fundings AS
SELECT account, market, id AS position,
    coalesce((message ->> 'amount')::numeric, 0) AS amount,
    coalesce((message ->> 'price')::numeric, 0) AS mark,
    coalesce((message ->> 'funding')::numeric, 0) AS received,
    moment(time) AS at,
    seq
FROM records WHERE kind = 9;

CREATE VIEW loans AS
SELECT account, asset,
    (ARRAY['active', 'repaid', 'liquidated'])[class - 7] AS status,
    coalesce((message ->> 'principal')::numeric, 0) AS principal,
    coalesce((message ->> 'interest')::numeric, 0) AS interest,
    coalesce((message ->> 'most_owed')::numeric, 0) AS most_owed,
    coalesce((message ->> 'most_lent')::numeric, 0) AS most_lent,
    coalesce((message ->> 'cost')::numeric, 0) AS cost,
    moment(time) AS opened,
    seq
FROM records WHERE kind = 10;

CREATE VIEW settlements AS
SELECT market,
    coalesce((message ->> 'rate')::numeric, 0) AS rate,
    coalesce((message ->> 'mark')::numeric, 0) AS mark,
    moment((message ->> 'since')::bigint) AS since,
    moment(time) AS at,
    seq
FROM records WHERE kind = 11;

-- +goose Down
DROP VIEW settlements, loans, fundings, closed, positions;
DROP FUNCTION position_side_word;
