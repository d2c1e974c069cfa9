-- Ends a fill: some of its clusters were resolved or ignored, and some regressed.
\set ON_ERROR_STOP on
BEGIN;
-- As for every resolution, no error is placed meanwhile (triage/clusters/placement.h).
SELECT pg_advisory_xact_lock(x'61655f726f757465'::bigint);

CREATE TEMPORARY TABLE fill_closed ON COMMIT DROP AS
WITH candidate AS (
  SELECT c.id, c.id % 12 AS way FROM cluster c
  WHERE c.state = 'OPEN' AND c.state_changed_by LIKE 'fill-%' AND c.merged_into IS NULL
    AND c.error_count BETWEEN 2 AND 2000 AND c.id % 12 < 4
    AND NOT EXISTS (SELECT FROM cluster_transition t WHERE t.cluster_id = c.id)
), received AS (
  SELECT candidate.id, candidate.way, e.received_at, m.joined_at,
         row_number() OVER (PARTITION BY candidate.id ORDER BY e.received_at DESC) AS place
  FROM candidate JOIN cluster_member m ON m.cluster_id = candidate.id
  JOIN auth_error e ON e.id = m.auth_error_id
)
SELECT last.id, last.way, last.joined_at AS regressed_at,
       CASE WHEN last.way = 3 THEN before.received_at + (last.received_at - before.received_at) / 2
            ELSE last.received_at + (now() - last.received_at) / 2 END AS closed_at
FROM received last JOIN received before ON before.id = last.id AND before.place = 2
WHERE last.place = 1 AND before.received_at < last.received_at;

INSERT INTO cluster_transition (cluster_id, from_state, to_state, cause, changed_by, changed_at, note)
SELECT id, 'OPEN', CASE way WHEN 2 THEN 'IGNORED' ELSE 'RESOLVED' END,
       CASE way WHEN 2 THEN 'ignore' ELSE 'resolve' END, 'identity-team', closed_at,
       CASE way WHEN 2 THEN 'expected, no action' ELSE 'fixed with the last release' END
FROM fill_closed ORDER BY id;
INSERT INTO cluster_transition (cluster_id, from_state, to_state, cause, changed_by, changed_at)
SELECT id, 'RESOLVED', 'REGRESSED', 'regression', 'fill-1', regressed_at
FROM fill_closed WHERE way = 3 ORDER BY id;

UPDATE cluster SET
  state = CASE way WHEN 2 THEN 'IGNORED' WHEN 3 THEN 'REGRESSED' ELSE 'RESOLVED' END,
  state_changed_at = CASE way WHEN 3 THEN regressed_at ELSE closed_at END,
  state_changed_by = CASE way WHEN 3 THEN 'fill-1' ELSE 'identity-team' END,
  state_note = CASE way WHEN 2 THEN 'expected, no action' WHEN 3 THEN NULL
                        ELSE 'fixed with the last release' END
FROM fill_closed WHERE cluster.id = fill_closed.id;
COMMIT;
