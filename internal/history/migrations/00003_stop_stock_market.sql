-- +goose Up

-- The order type of stops whose amount is in base on both sides.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION order_type_word(number bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (ARRAY['limit', 'market', 'stock market', 'stop limit', 'stop market', 'stop stock market'])[number];
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION order_type_word(number bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (ARRAY['limit', 'market', 'stock market', 'stop limit', 'stop market'])[number];
-- +goose StatementEnd
