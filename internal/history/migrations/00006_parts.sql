-- +goose Up
-- Up to which batch of the log everything is there, for each part of the accounts: their number divided by how
-- many parts there are leaves the number of the part. Each part has a writer of its own, which locks its row.
-- The table has a new name so that a program that knows one place for all accounts fails instead of moving both.
CREATE TABLE parts (
    part smallint PRIMARY KEY,
    seq  bigint NOT NULL
);
INSERT INTO parts (part, seq) SELECT part, seq FROM progress, generate_series(0, 1) part;
DROP TABLE progress;

-- +goose Down
CREATE TABLE progress (
    alone boolean PRIMARY KEY DEFAULT true CHECK (alone),
    seq   bigint NOT NULL
);
INSERT INTO progress (seq) VALUES (0);
TRUNCATE records, counts;
DROP TABLE parts;
