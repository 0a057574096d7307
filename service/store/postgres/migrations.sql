-- name: lock_migrations
-- One process at a time migrates.
SELECT pg_advisory_xact_lock(7020903301);

-- name: create_migrations
-- Which migrations were applied, and when.
CREATE TABLE IF NOT EXISTS migrations (number bigint PRIMARY KEY, at bigint NOT NULL);

-- name: list_migrations
SELECT number FROM migrations;

-- name: insert_migration
-- Params: number, now.
INSERT INTO migrations (number, at) SELECT * FROM unnest($1::bigint[], $2::bigint[]);
