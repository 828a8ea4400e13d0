-- +goose Up
-- What a closed position was bought and sold for is in the money of its market's prices, also where deals are paid in another
-- one; realized, fees and funding are what was paid.
CREATE OR REPLACE VIEW closed AS
SELECT account, market, id AS position,
    position_side_word(coalesce((message -> 'position' ->> 'side')::bigint, 0)) AS side,
    coalesce((message -> 'position' ->> 'entered')::numeric, 0) AS amount,
    coalesce((message -> 'position' ->> 'quoted_paid')::numeric, (message -> 'position' ->> 'paid')::numeric, 0) AS paid,
    coalesce((message ->> 'received')::numeric, 0) AS received,
    coalesce((message -> 'position' ->> 'realized')::numeric, 0) AS realized,
    coalesce((message -> 'position' ->> 'fees')::numeric, 0) AS fees,
    coalesce((message -> 'position' ->> 'funding')::numeric, 0) AS funding,
    moment((message -> 'position' ->> 'opened')::bigint) AS opened,
    moment((message -> 'position' ->> 'updated')::bigint) AS closed,
    seq
FROM records WHERE kind = 8;

-- +goose Down
CREATE OR REPLACE VIEW closed AS
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
