-- +goose Up

-- Everything that happened to accounts. Times are microseconds since 1970. The payload is the
-- message of the kind as the archive prints it; a field that is absent is zero. kind: 1 orders,
-- 2 deals, 3 ended, 4 transfers.
CREATE TABLE records (
    kind    smallint NOT NULL,
    account bigint   NOT NULL,
    time    bigint   NOT NULL,
    id      bigint   NOT NULL,
    ref     bigint   NOT NULL, -- the order that it belongs to; 0: none
    seq     bigint   NOT NULL, -- the batch of the log that it comes from
    market  bigint   NOT NULL, -- 0: none
    class   smallint NOT NULL, -- what status filters choose by; 0: no choice
    tag     text COLLATE "C" NOT NULL, -- the client order id; empty: none
    payload jsonb    NOT NULL,
    -- Copies for the indexes below.
    at      bigint   NOT NULL GENERATED ALWAYS AS (time) STORED,
    shelf   bigint   NOT NULL GENERATED ALWAYS AS (market * 256 + class) STORED,
    status  smallint NOT NULL GENERATED ALWAYS AS (class) STORED,
    PRIMARY KEY (kind, account, time, id, ref)
);

-- Every index ends with the order of pages, so that a page is a piece of an index. No two of them
-- can serve the same query, because each is over copies that its queries alone name: a planner
-- that knows little about an account could otherwise take the index of all its records and throw
-- away a million of them to find ten.
CREATE INDEX records_by_market ON records (kind, account, shelf, at, id, ref) WHERE market <> 0;
CREATE INDEX records_by_class ON records (kind, account, status, at, id, ref) WHERE class <> 0;
CREATE INDEX records_by_ref ON records (kind, account, ref, market, class, at, id) WHERE ref <> 0;
CREATE INDEX records_by_tag ON records (kind, account, tag, market, class, at, id, ref) WHERE tag <> '';
-- For removing what is old. Rows come in the order of time, so a summary of blocks is enough.
CREATE INDEX records_by_age ON records USING brin (time);

-- The one row that says up to which batch of the log everything is there. Whoever writes locks it.
CREATE TABLE progress (
    alone boolean PRIMARY KEY DEFAULT true CHECK (alone),
    seq   bigint NOT NULL
);
INSERT INTO progress (seq) VALUES (0);

-- What follows is for people.

-- +goose StatementBegin
CREATE FUNCTION moment(microseconds bigint) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN timestamptz 'epoch' + microseconds * interval '1 microsecond';
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION side_word(number bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (ARRAY['buy', 'sell'])[number];
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION order_type_word(number bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (ARRAY['limit', 'market', 'stock market', 'stop limit', 'stop market'])[number];
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION order_status_word(number bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (ARRAY['OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED', 'CANCELED_TAKER_BAND', 'CANCELED_STP',
        'AUTO_CANCELED_REDUCE_ONLY', 'AUTO_CANCELED_LIQUIDATION', 'MAINTENANCE'])[number];
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION wallet_word(number bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (ARRAY['main', 'trade', 'collateral', 'earn'])[number];
-- +goose StatementEnd

CREATE VIEW orders AS
SELECT account, market, id, tag AS client_id,
    side_word((payload ->> 'side')::bigint) AS side,
    order_type_word((payload ->> 'type')::bigint) AS type,
    order_status_word((payload ->> 'status')::bigint) AS status,
    coalesce((payload ->> 'price')::numeric, 0) AS price,
    coalesce((payload ->> 'activation_price')::numeric, 0) AS activation_price,
    coalesce((payload ->> 'amount')::numeric, 0) AS amount,
    coalesce((payload ->> 'left')::numeric, 0) AS "left",
    coalesce((payload ->> 'deal_stock')::numeric, 0) AS deal_stock,
    coalesce((payload ->> 'deal_money')::numeric, 0) AS deal_money,
    coalesce((payload ->> 'deal_fee')::numeric, 0) AS deal_fee,
    coalesce((payload ->> 'post_only')::boolean, false) AS post_only,
    coalesce((payload ->> 'ioc')::boolean, false) AS ioc,
    coalesce((payload ->> 'rpi')::boolean, false) AS rpi,
    moment((payload ->> 'created')::bigint) AS created,
    moment((payload ->> 'activated_at')::bigint) AS activated,
    moment(time) AS finished,
    seq
FROM records WHERE kind = 1;

CREATE VIEW deals AS
SELECT account, market, id, ref AS "order", (payload ->> 'counter')::bigint AS counter_order, coalesce(payload ->> 'client_id', '') AS client_id,
    side_word((payload ->> 'side')::bigint) AS side,
    (ARRAY['maker', 'taker'])[(payload ->> 'role')::bigint] AS role,
    coalesce((payload ->> 'price')::numeric, 0) AS price,
    coalesce((payload ->> 'amount')::numeric, 0) AS amount,
    coalesce((payload ->> 'money')::numeric, 0) AS money,
    coalesce((payload ->> 'fee')::numeric, 0) AS fee,
    coalesce((payload ->> 'rpi')::boolean, false) AS rpi,
    moment(time) AS at,
    seq
FROM records WHERE kind = 2;

CREATE VIEW ended AS
SELECT account, market, id, tag AS client_id,
    CASE class WHEN 4 THEN 'maintenance' WHEN 5 THEN 'delisting' END AS cause,
    side_word((payload -> 'order' ->> 'side')::bigint) AS side,
    order_type_word((payload -> 'order' ->> 'type')::bigint) AS type,
    order_status_word((payload -> 'order' ->> 'status')::bigint) AS status,
    coalesce((payload -> 'order' ->> 'price')::numeric, 0) AS price,
    coalesce((payload -> 'order' ->> 'amount')::numeric, 0) AS amount,
    coalesce((payload -> 'order' ->> 'deal_stock')::numeric, 0) AS deal_stock,
    coalesce((payload -> 'order' ->> 'deal_money')::numeric, 0) AS deal_money,
    coalesce((payload -> 'order' ->> 'deal_fee')::numeric, 0) AS deal_fee,
    moment((payload -> 'order' ->> 'created')::bigint) AS created,
    moment(time) AS finished,
    seq
FROM records WHERE kind = 3;

CREATE VIEW transfers AS
SELECT account, id,
    (payload -> 'transfer' ->> 'asset')::bigint AS asset,
    coalesce((payload -> 'transfer' ->> 'amount')::numeric, 0) AS amount,
    wallet_word((payload -> 'transfer' ->> 'from')::bigint) AS from_wallet,
    wallet_word((payload -> 'transfer' ->> 'to')::bigint) AS to_wallet,
    moment(time) AS at,
    seq
FROM records WHERE kind = 4;

-- +goose Down
DROP VIEW transfers, ended, deals, orders;
DROP FUNCTION wallet_word, order_status_word, order_type_word, side_word, moment;
DROP TABLE progress, records;
