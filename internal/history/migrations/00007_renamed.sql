-- +goose Up
-- A program that knows one place in the log for all accounts would move both: under the new name it fails instead.
ALTER TABLE progress RENAME TO parts;

-- +goose Down
ALTER TABLE parts RENAME TO progress;
