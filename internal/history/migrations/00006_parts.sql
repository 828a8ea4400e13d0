-- +goose Up
-- Up to which batch of the log everything is there, for each part of the accounts: their number divided by how
-- many parts there are leaves the number of the part. Each part has a writer of its own, which locks its row.
ALTER TABLE progress RENAME TO progress_before;
CREATE TABLE progress (
    part smallint PRIMARY KEY,
    seq  bigint NOT NULL
);
INSERT INTO progress (part, seq) SELECT part, seq FROM progress_before, generate_series(0, 1) part;
DROP TABLE progress_before;

-- +goose Down
ALTER TABLE progress RENAME TO progress_parts;
CREATE TABLE progress (
    alone boolean PRIMARY KEY DEFAULT true CHECK (alone),
    seq   bigint NOT NULL
);
INSERT INTO progress (seq) SELECT 0;
TRUNCATE records, counts;
DROP TABLE progress_parts;
