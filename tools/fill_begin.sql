-- Reserves the ids of a fill and chooses its time range. Takes the variable total; prints one row:
-- run, first id, start and end of the receipts, start of the occurrences, dead letters to leave
-- open.
\set ON_ERROR_STOP on

-- Fingerprints are written in the form of this version of domain/stack/stack_hash.h.
\set version 3
SELECT coalesce(max(version), 0) > :version AS newer_hashes FROM cluster_route \gset
\if :newer_hashes
DO $$ BEGIN RAISE 'the stack hashes of this database are newer than those that fill makes'; END $$;
\endif

BEGIN;
-- Ids grow with received_at: readers of a time range rely on it to within an hour. Errors that
-- arrive during the fill must get greater ids than its own, so its block is reserved at once. The
-- lock keeps an insert from taking an id in between; it is held for a few milliseconds.
LOCK TABLE auth_error IN EXCLUSIVE MODE;
SELECT nextval(pg_get_serial_sequence('auth_error', 'id')) AS first_id \gset
SELECT setval(pg_get_serial_sequence('auth_error', 'id'), :first_id + :total - 1) AS last_id \gset
-- For the same reason nothing is received before the existing errors. If that leaves less than a
-- day, the new errors are a backlog that has just arrived: they still occurred over 90 days.
WITH newest AS (
  SELECT max(received_at) AS received_at
  FROM (SELECT received_at FROM auth_error ORDER BY id DESC LIMIT 1000) newest
), span AS (
  SELECT now() - interval '90 days' AS oldest, now() - interval '1 minute' AS until,
         coalesce((SELECT received_at FROM newest), '-infinity') AS newest
)
SELECT to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), :first_id,
       CASE WHEN newest < oldest THEN oldest
            WHEN newest < until - interval '1 day' THEN newest
            ELSE least(newest, until) - interval '30 minutes' END,
       until,
       CASE WHEN newest BETWEEN oldest AND until - interval '1 day' THEN newest ELSE oldest END,
       greatest(0, 5 - (SELECT count(*) FROM dead_letter WHERE status = 'OPEN'))
FROM span;
COMMIT;
