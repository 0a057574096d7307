-- name: create_migrations
-- Which migrations were applied, and when.
CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;

-- name: list_migrations
SELECT number FROM migrations;

-- name: insert_migration
-- Params: number, now.
INSERT INTO migrations (number, at) VALUES (?1, ?2);
