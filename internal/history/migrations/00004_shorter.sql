-- +goose Up

-- Other indexes, and json in another column: what was there is made again from the log. A program of an
-- older version that still runs finds no payload here, so that it neither reads nor writes; it waits
-- until it is replaced.
DROP VIEW acts, transfers, ended, deals, orders;
DROP TABLE records;
UPDATE progress SET seq = 0;

-- Everything that happened to accounts. Times are microseconds since 1970. The message
-- is that of the kind as the archive prints it; a field that is absent is zero. kind: 1 orders,
-- 2 deals, 3 ended, 4 transfers, 5 acts. Numbers of accounts, markets and assets above 2147483647
-- stand here less 4294967296.
CREATE TABLE records (
    time    bigint   NOT NULL,
    at      bigint   NOT NULL, -- the same, for the indexes below
    id      bigint   NOT NULL,
    ref     bigint   NOT NULL, -- the order that it belongs to, of an order its own id; 0: none
    seq     bigint   NOT NULL, -- the batch of the log that it comes from
    account integer  NOT NULL,
    kind    smallint NOT NULL,
    class   smallint NOT NULL, -- what status filters choose by; 0: no choice
    market  integer  NOT NULL, -- 0: none
    asset   integer  NOT NULL, -- 0: none
    tag     text COLLATE "C" NOT NULL, -- the client order id, the name of an operator; empty: none
    message json     NOT NULL, -- not jsonb: it is read whole, and written three times as fast
    PRIMARY KEY (account, kind, class, time, id, ref)
);

-- Every index ends with the order of pages, so that a page is a piece of an index. No query can be
-- served by the primary key and by another index, because the others know the time by its other
-- name: a planner that knows little about an account could otherwise take the index of all its
-- records and throw away a million of them to find ten.
CREATE INDEX records_by_market ON records (account, kind, market, class, at, id, ref) WHERE market <> 0;
CREATE INDEX records_by_asset ON records (account, kind, asset, class, at, id, ref) WHERE asset <> 0;
CREATE INDEX records_by_ref ON records (account, kind, ref, at, id) WHERE ref <> 0;
CREATE INDEX records_by_tag ON records (account, kind, tag, market, at, id, ref) WHERE tag <> '';
-- For removing what is old. Rows come in the order of time, so a summary of blocks is enough.
CREATE INDEX records_by_age ON records USING brin (time);

-- How many records there are, of kinds of which that is asked.
CREATE TABLE counts (
    account integer  NOT NULL,
    kind    smallint NOT NULL,
    asset   integer  NOT NULL,
    class   smallint NOT NULL,
    records bigint   NOT NULL,
    PRIMARY KEY (account, kind, asset, class)
);

-- What follows is for people.

CREATE VIEW orders AS
SELECT account, market, id, tag AS client_id,
    side_word((message ->> 'side')::bigint) AS side,
    order_type_word((message ->> 'type')::bigint) AS type,
    order_status_word((message ->> 'status')::bigint) AS status,
    coalesce((message ->> 'price')::numeric, 0) AS price,
    coalesce((message ->> 'activation_price')::numeric, 0) AS activation_price,
    coalesce((message ->> 'amount')::numeric, 0) AS amount,
    coalesce((message ->> 'left')::numeric, 0) AS "left",
    coalesce((message ->> 'deal_stock')::numeric, 0) AS deal_stock,
    coalesce((message ->> 'deal_money')::numeric, 0) AS deal_money,
    coalesce((message ->> 'deal_fee')::numeric, 0) AS deal_fee,
    coalesce((message ->> 'post_only')::boolean, false) AS post_only,
    coalesce((message ->> 'ioc')::boolean, false) AS ioc,
    coalesce((message ->> 'rpi')::boolean, false) AS rpi,
    moment((message ->> 'created')::bigint) AS created,
    moment((message ->> 'activated_at')::bigint) AS activated,
    moment(time) AS finished,
    seq
FROM records WHERE kind = 1;

CREATE VIEW deals AS
SELECT account, market, id, ref AS "order", (message ->> 'counter')::bigint AS counter_order, coalesce(message ->> 'client_id', '') AS client_id,
    side_word((message ->> 'side')::bigint) AS side,
    (ARRAY['maker', 'taker'])[(message ->> 'role')::bigint] AS role,
    coalesce((message ->> 'price')::numeric, 0) AS price,
    coalesce((message ->> 'amount')::numeric, 0) AS amount,
    coalesce((message ->> 'money')::numeric, 0) AS money,
    coalesce((message ->> 'fee')::numeric, 0) AS fee,
    coalesce((message ->> 'rpi')::boolean, false) AS rpi,
    moment(time) AS at,
    seq
FROM records WHERE kind = 2;

CREATE VIEW ended AS
SELECT account, market, id, tag AS client_id,
    CASE class WHEN 4 THEN 'maintenance' WHEN 5 THEN 'delisting' END AS cause,
    side_word((message -> 'order' ->> 'side')::bigint) AS side,
    order_type_word((message -> 'order' ->> 'type')::bigint) AS type,
    order_status_word((message -> 'order' ->> 'status')::bigint) AS status,
    coalesce((message -> 'order' ->> 'price')::numeric, 0) AS price,
    coalesce((message -> 'order' ->> 'amount')::numeric, 0) AS amount,
    coalesce((message -> 'order' ->> 'deal_stock')::numeric, 0) AS deal_stock,
    coalesce((message -> 'order' ->> 'deal_money')::numeric, 0) AS deal_money,
    coalesce((message -> 'order' ->> 'deal_fee')::numeric, 0) AS deal_fee,
    moment((message -> 'order' ->> 'created')::bigint) AS created,
    moment(time) AS finished,
    seq
FROM records WHERE kind = 3;

CREATE VIEW transfers AS
SELECT account, id, asset,
    coalesce((message -> 'transfer' ->> 'amount')::numeric, 0) AS amount,
    wallet_word((message -> 'transfer' ->> 'from')::bigint) AS from_wallet,
    wallet_word((message -> 'transfer' ->> 'to')::bigint) AS to_wallet,
    moment(time) AS at,
    seq
FROM records WHERE kind = 4;

-- The command stands in the message under its name.
CREATE VIEW acts AS
SELECT id, tag AS operator, moment(time) AS at,
    coalesce(message ->> 'refusal', '') AS refusal,
    message::jsonb - 'operator' - 'refusal' - 'made' AS command,
    seq
FROM records WHERE kind = 5;
