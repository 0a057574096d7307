-- name: find_request
-- What mutations with these identities were answered. Params: id.
SELECT p.n, r.fingerprint, r.answer
  FROM unnest($1::text[]) WITH ORDINALITY AS p (id, n) JOIN requests r ON r.id = p.id;

-- name: insert_request
-- A mutation's answer, kept with what it wrote. Params: id, fingerprint, answer, now.
INSERT INTO requests (id, fingerprint, answer, at)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]);
