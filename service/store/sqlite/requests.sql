-- name: find_request
-- What a mutation with this identity was answered. Params: id.
SELECT fingerprint, answer FROM requests WHERE id = ?1;

-- name: insert_request
-- A mutation's answer, kept with what it wrote. Params: id, fingerprint, answer, now.
INSERT INTO requests (id, fingerprint, answer, at) VALUES (?1, ?2, ?3, ?4);
