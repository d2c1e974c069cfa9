-- Checks every rule of the stored data that SQL can express: one row for each, with the number of
-- rows that violate it. A consistent database shows 0 everywhere, even while the service is
-- running: this is one statement, so it uses one snapshot. It changes nothing. docs/growth.md has
-- its duration.
SET work_mem = '256MB';
SET jit = off;

WITH error AS MATERIALIZED (
  SELECT id, dedup_key, status, occurred_at, received_at, status_changed_at, next_retry_at, stack_hash, service_name, environment,
         coalesce(user_pseudonym, session_pseudonym, client_ip_pseudonym) AS actor
  FROM auth_error
), event AS MATERIALIZED (
  SELECT id, event_id, aggregate_id, event_type, idempotency_key, payload, status, retry_count, retry_round, created_at, claimed_at,
         published_at, event_type = 'auth.error.recorded.v1' AS recorded,
         -- The round of the analysis; null if the key is not one of this event.
         CASE WHEN event_type = 'auth.error.analysis.requested.v1' AND idempotency_key = 'auth_error:analysis_requested:' || aggregate_id THEN 1
              WHEN event_type = 'auth.error.analysis.requested.v1'
                AND idempotency_key ~ ('^auth_error:analysis_requested:' || aggregate_id || ':[1-9][0-9]*$')
              THEN split_part(idempotency_key, ':', 4)::int END AS round
  FROM outbox_message WHERE aggregate_type = 'auth_error'
), step AS MATERIALIZED (
  SELECT auth_error_id, id, from_status, to_status, cause, changed_by, changed_at,
         lag(to_status) OVER history AS previous, lag(changed_at) OVER history AS previous_at,
         lead(id) OVER history IS NULL AS last
  FROM auth_error_transition WINDOW history AS (PARTITION BY auth_error_id ORDER BY id)
), cluster_step AS MATERIALIZED (
  SELECT cluster_id, id, from_state, to_state, changed_at,
         lag(to_state) OVER history AS previous, lead(id) OVER history IS NULL AS last
  FROM cluster_transition WINDOW history AS (PARTITION BY cluster_id ORDER BY id)
), member AS MATERIALIZED (
  SELECT m.cluster_id, m.auth_error_id, m.stack_hash, m.joined_at, m.placed_by, e.occurred_at, e.received_at, e.service_name,
         e.environment, e.actor, e.stack_hash AS error_hash
  FROM cluster_member m JOIN error e ON e.id = m.auth_error_id
), counted AS MATERIALIZED (
  -- The numbers that the flusher has added up: the existing memberships, without pending deltas.
  SELECT cluster_id, 1 AS change, occurred_at, stack_hash, service_name, environment, actor FROM member
  UNION ALL
  SELECT cluster_id, -change, occurred_at, stack_hash, service_name, environment, actor FROM cluster_delta
), total AS MATERIALIZED (
  SELECT cluster_id, sum(change) AS errors FROM counted GROUP BY cluster_id
), facet AS MATERIALIZED (
  SELECT cluster_id, kind, value, sum(change) AS errors, max(occurred_at) FILTER (WHERE change > 0) AS last_seen_at
  FROM counted CROSS JOIN LATERAL (
    VALUES ('service', service_name), ('environment', environment), ('actor', actor), ('hash', stack_hash)) AS facet (kind, value)
  WHERE value IS NOT NULL GROUP BY cluster_id, kind, value
), activity AS MATERIALIZED (
  SELECT cluster_id, grain, starts_at, sum(change) AS errors
  FROM counted CROSS JOIN LATERAL (
    VALUES ('5min', date_bin('5 minutes', occurred_at, 'epoch'), now() - interval '25 hours'),
           ('hour', date_bin('1 hour', occurred_at, 'epoch'), now() - interval '31 days')) AS bucket (grain, starts_at, oldest)
  WHERE starts_at >= oldest GROUP BY cluster_id, grain, starts_at
), seen AS MATERIALIZED (
  SELECT cluster_id, count(*) AS errors, min(occurred_at) AS first, max(occurred_at) AS last FROM member GROUP BY cluster_id
), moving AS MATERIALIZED (
  SELECT cluster_id, target_cluster_id FROM job WHERE kind = 'move' AND status IN ('QUEUED', 'RUNNING')
), unsettled AS MATERIALIZED (
  -- Clusters whose numbers, sample or times may change with the next flush or chunk.
  SELECT cluster_id FROM cluster_delta UNION SELECT cluster_id FROM moving UNION SELECT target_cluster_id FROM moving
), result (place, name, rows) AS (
  -- --- errors and their events -------------------------------------------------------------------
  SELECT 101, 'a request id is unique', count(*) - count(DISTINCT dedup_key) FROM error
  UNION ALL
  SELECT 102, 'an error has exactly one recorded event', count(*) FROM (
    SELECT FROM error e LEFT JOIN event m ON m.aggregate_id = e.id AND m.recorded
    GROUP BY e.id HAVING count(m.id) <> 1) broken
  UNION ALL
  SELECT 103, 'an event belongs to an error', count(*) FROM event m
  WHERE NOT EXISTS (SELECT FROM error e WHERE e.id = m.aggregate_id)
  UNION ALL
  SELECT 104, 'an idempotency key is unique', count(*) - count(DISTINCT idempotency_key) FROM event
  UNION ALL
  SELECT 105, 'an idempotency key is built from its type, error and round', count(*) FROM event
  WHERE round IS NULL AND NOT (recorded AND idempotency_key = 'auth_error:recorded:' || aggregate_id)
  UNION ALL
  SELECT 106, 'a payload names its error', count(*) FROM event m JOIN error e ON e.id = m.aggregate_id
  WHERE m.payload -> 'authErrorId' IS DISTINCT FROM to_jsonb(e.id) OR m.payload ->> 'requestId' <> e.dedup_key
     OR (m.payload ->> 'occurredAt')::timestamptz IS DISTINCT FROM e.occurred_at
     OR (NOT m.recorded AND (m.payload ->> 'requestedAt')::timestamptz IS DISTINCT FROM m.created_at)
  UNION ALL
  SELECT 107, 'an error and its recorded event were stored together', count(*)
  FROM event m JOIN error e ON e.id = m.aggregate_id WHERE m.recorded AND m.created_at <> e.received_at
  UNION ALL
  SELECT 108, 'a requested analysis has its event', count(*) FROM step s
  WHERE s.cause = 'analysis_requested' AND NOT EXISTS (
    SELECT FROM event m WHERE m.aggregate_id = s.auth_error_id AND m.round = 1)
  UNION ALL
  SELECT 109, 'an analysis event was asked for by a change of status', count(*) FROM event m
  WHERE m.round IS NOT NULL AND NOT EXISTS (
    SELECT FROM step s WHERE s.auth_error_id = m.aggregate_id AND s.changed_at = m.created_at
      AND s.cause = CASE m.round WHEN 1 THEN 'analysis_requested' ELSE 'decision_retry' END)
  UNION ALL
  SELECT 110, 'a decision to analyse again has the event of its round', count(*) FROM decision d
  WHERE d.type = 'RETRY' AND NOT EXISTS (
    SELECT FROM event m WHERE m.aggregate_id = d.auth_error_id AND m.round > 1 AND m.created_at = d.decided_at)
  UNION ALL
  SELECT 111, 'an event failed to publish at most six times', count(*) FROM event WHERE retry_count > 6
  UNION ALL
  SELECT 112, 'an event id belongs to one event', count(event_id) - count(DISTINCT event_id) FROM event
  -- --- the ledger --------------------------------------------------------------------------------
  UNION ALL
  SELECT 201, 'an event has one ledger row', count(*) - count(DISTINCT outbox_id) FROM processed_message
  UNION ALL
  SELECT 202, 'an unfinished ledger row has its event', count(*) FROM processed_message p
  WHERE p.status NOT IN ('DONE', 'DEAD') AND NOT EXISTS (SELECT FROM outbox_message m WHERE m.id = p.outbox_id)
  UNION ALL
  SELECT 203, 'what the sweeper has passed is in the ledger', count(*) FROM outbox_message m
  WHERE m.status = 'PUBLISHED' AND m.published_at <= (SELECT swept_until FROM sweeper_mark)
    AND NOT EXISTS (SELECT FROM processed_message p WHERE p.outbox_id = m.id)
  UNION ALL
  SELECT 204, 'an error whose recorded event is done is not NEW', count(*)
  FROM event m JOIN processed_message p ON p.outbox_id = m.id JOIN error e ON e.id = m.aggregate_id
  WHERE m.recorded AND p.status = 'DONE' AND e.status = 'NEW'
  UNION ALL
  SELECT 205, 'an error whose analysis was requested has its recorded event done', count(*)
  FROM event m LEFT JOIN processed_message p ON p.outbox_id = m.id
  WHERE m.recorded AND p.status IS DISTINCT FROM 'DONE'
    AND EXISTS (SELECT FROM step s WHERE s.auth_error_id = m.aggregate_id AND s.cause = 'analysis_requested')
  UNION ALL
  SELECT 206, 'an analysis that is done has completed', count(*)
  FROM (SELECT DISTINCT ON (aggregate_id) id, aggregate_id FROM event WHERE round IS NOT NULL ORDER BY aggregate_id, round DESC) m
  JOIN processed_message p ON p.outbox_id = m.id JOIN error e ON e.id = m.aggregate_id
  WHERE p.status = 'DONE' AND e.status IN ('NEW', 'RETRY', 'ANALYSIS_REQUESTED')
  UNION ALL
  SELECT 207, 'a completed analysis is done in the ledger', count(*) FROM step s
  WHERE s.cause = 'analysis_completed' AND NOT EXISTS (
    SELECT FROM event m JOIN processed_message p ON p.outbox_id = m.id
    WHERE m.aggregate_id = s.auth_error_id AND m.round IS NOT NULL AND p.status = 'DONE')
  UNION ALL
  SELECT 208, 'DONE, and nothing else, names the instance that completed it', count(*) FROM processed_message
  WHERE (status = 'DONE') <> (completed_by IS NOT NULL)
  UNION ALL
  SELECT 209, 'a failed attempt belongs to a round of an event', count(*) FROM delivery_attempt a
  WHERE NOT EXISTS (SELECT FROM outbox_message m WHERE m.id = a.outbox_id AND m.retry_round >= a.retry_round)
  UNION ALL
  -- Versions before event ids wrote rows without one.
  SELECT 210, 'a ledger row belongs to the event of its number', count(*)
  FROM processed_message p JOIN event m ON m.id = p.outbox_id
  WHERE CASE WHEN p.event_id IS NULL THEN p.created_at < m.created_at ELSE p.event_id IS DISTINCT FROM m.event_id END
  -- --- dead letters ------------------------------------------------------------------------------
  UNION ALL
  SELECT 301, 'a dead event has a dead letter of its round', count(*) FROM event m
  WHERE m.status = 'DEAD' AND NOT EXISTS (
    SELECT FROM dead_letter d WHERE d.outbox_id = m.id AND d.retry_round = m.retry_round)
  UNION ALL
  SELECT 302, 'a dead ledger row has a dead letter of its round', count(*) FROM processed_message p JOIN event m ON m.id = p.outbox_id
  WHERE p.status = 'DEAD' AND NOT EXISTS (
    SELECT FROM dead_letter d WHERE d.outbox_id = m.id AND d.retry_round = m.retry_round)
  UNION ALL
  SELECT 303, 'an open dead letter''s event is dead', count(*)
  FROM dead_letter d LEFT JOIN outbox_message m ON m.id = d.outbox_id LEFT JOIN processed_message p ON p.outbox_id = d.outbox_id
  WHERE d.status = 'OPEN' AND d.outbox_id IS NOT NULL
    AND NOT coalesce(m.retry_round = d.retry_round AND (m.status = 'DEAD' OR p.status = 'DEAD'), false)
  UNION ALL
  SELECT 304, 'a retried dead letter''s event is in a later round', count(*)
  FROM dead_letter d JOIN outbox_message m ON m.id = d.outbox_id WHERE d.status = 'RETRIED' AND m.retry_round <= d.retry_round
  UNION ALL
  SELECT 305, 'a dead letter holds what its event says', count(*) FROM dead_letter d JOIN outbox_message m ON m.id = d.outbox_id
  WHERE (d.event_type, d.aggregate_type, d.aggregate_id, d.payload) IS DISTINCT FROM
        (m.event_type, m.aggregate_type, m.aggregate_id, m.payload) OR d.event_id <> m.event_id
  UNION ALL
  SELECT 306, 'a dead letter''s attempts are on record', count(*) FROM dead_letter d
  WHERE d.outbox_id IS NOT NULL AND jsonb_array_length(d.attempts) > (
    SELECT count(*) FROM delivery_attempt a WHERE a.outbox_id = d.outbox_id AND a.retry_round = d.retry_round)
  UNION ALL
  SELECT 307, 'a dead letter''s decision has ended its error', count(*) FROM dead_letter d
  WHERE d.decision IS NOT NULL AND NOT EXISTS (
    SELECT FROM step s WHERE s.auth_error_id = d.aggregate_id AND s.cause = 'dead_letter_' || lower(d.decision)
      AND s.changed_by = d.closed_by AND s.changed_at = d.closed_at AND s.last)
  UNION ALL
  SELECT 308, 'an error ended by a dead letter has that dead letter', count(*) FROM step s
  WHERE s.cause LIKE 'dead\_letter\_%' AND NOT EXISTS (
    SELECT FROM dead_letter d WHERE d.aggregate_id = s.auth_error_id AND 'dead_letter_' || lower(d.decision) = s.cause
      AND d.closed_by = s.changed_by AND d.closed_at = s.changed_at)
  UNION ALL
  SELECT 309, 'no error waits behind a resolved dead letter', count(*) FROM dead_letter d JOIN error e ON e.id = d.aggregate_id
  WHERE d.status = 'RESOLVED' AND d.outbox_id IS NOT NULL AND e.stack_hash IS NULL
    AND e.status IN ('NEW', 'RETRY', 'ANALYSIS_REQUESTED')
  UNION ALL
  SELECT 310, 'an event has one dead letter in each round', count(*) - count(DISTINCT (outbox_id, retry_round))
  FROM dead_letter WHERE outbox_id IS NOT NULL
  -- --- states ------------------------------------------------------------------------------------
  UNION ALL
  SELECT 401, 'a change of status belongs to an error', count(*) FROM step s
  WHERE NOT EXISTS (SELECT FROM error e WHERE e.id = s.auth_error_id)
  UNION ALL
  SELECT 402, 'an error''s first status was NEW', count(*) FROM step WHERE previous IS NULL AND from_status <> 'NEW'
  UNION ALL
  SELECT 403, 'a change of status begins where the last one ended', count(*) FROM step WHERE from_status <> previous
  UNION ALL
  SELECT 404, 'the last change led to the error''s status', count(*)
  FROM error e LEFT JOIN step s ON s.auth_error_id = e.id AND s.last WHERE e.status <> coalesce(s.to_status, 'NEW')
  UNION ALL
  SELECT 405, 'status_changed_at is the time of the last change', count(*)
  FROM error e LEFT JOIN step s ON s.auth_error_id = e.id AND s.last
  WHERE e.status_changed_at <> coalesce(s.changed_at, e.received_at)
  UNION ALL
  SELECT 406, 'a terminal status is never left', count(*) FROM step
  WHERE from_status IN ('PROCESSED', 'FAILED', 'RESOLVED', 'IGNORED') OR previous IN ('PROCESSED', 'FAILED', 'RESOLVED', 'IGNORED')
  UNION ALL
  SELECT 407, 'only an error in RETRY has a next_retry_at', count(*) FROM error WHERE next_retry_at IS NOT NULL AND status <> 'RETRY'
  UNION ALL
  SELECT 408, 'an analysed error has a hash, and no other one', count(*) FROM error e
  WHERE (e.stack_hash IS NOT NULL) <> EXISTS (
    SELECT FROM step s WHERE s.auth_error_id = e.id AND s.cause = 'analysis_completed')
  UNION ALL
  SELECT 409, 'a decision has its change of status', count(*) FROM decision d
  WHERE NOT EXISTS (
    SELECT FROM step s WHERE s.auth_error_id = d.auth_error_id AND s.cause = 'decision_' || lower(d.type)
      AND s.changed_by = d.decided_by AND s.changed_at = d.decided_at)
  UNION ALL
  SELECT 410, 'a decided change of status has its decision', count(*) FROM step s
  WHERE s.cause LIKE 'decision\_%' AND NOT EXISTS (
    SELECT FROM decision d WHERE d.auth_error_id = s.auth_error_id AND 'decision_' || lower(d.type) = s.cause
      AND d.decided_by = s.changed_by AND d.decided_at = s.changed_at)
  UNION ALL
  SELECT 411, 'a job has made as many decisions as it says', count(*) FROM job j
  WHERE j.kind = 'decide' AND j.changed <> (SELECT count(*) FROM decision d WHERE d.job_id = j.id)
  -- --- clusters ----------------------------------------------------------------------------------
  UNION ALL
  SELECT 501, 'an analysed error is in a cluster', count(*) FROM error e
  WHERE e.stack_hash IS NOT NULL AND NOT EXISTS (SELECT FROM cluster_member m WHERE m.auth_error_id = e.id)
  UNION ALL
  SELECT 502, 'a member is an error', count(*) FROM cluster_member m
  WHERE NOT EXISTS (SELECT FROM error e WHERE e.id = m.auth_error_id)
  UNION ALL
  SELECT 503, 'a member belongs to a cluster', count(*) FROM cluster_member m
  WHERE NOT EXISTS (SELECT FROM cluster c WHERE c.id = m.cluster_id)
  UNION ALL
  SELECT 504, 'a member is counted by its error''s hash', count(*) FROM member WHERE stack_hash IS DISTINCT FROM error_hash
  UNION ALL
  SELECT 505, 'a hash leads to a cluster', count(*) FROM cluster_route r
  WHERE NOT EXISTS (SELECT FROM cluster c WHERE c.id = r.cluster_id)
  UNION ALL
  SELECT 506, 'a member''s hash has a route', count(*) FROM (SELECT DISTINCT stack_hash FROM cluster_member) m
  WHERE NOT EXISTS (SELECT FROM cluster_route r WHERE r.stack_hash = m.stack_hash)
  UNION ALL
  -- Clusters without merges, splits or running moves.
  SELECT 507, 'an error is in the cluster its hash leads to', count(*) FROM member m
  JOIN cluster_route r ON r.stack_hash = m.stack_hash JOIN cluster c ON c.id = r.cluster_id
  WHERE m.placed_by IS NULL AND m.cluster_id <> r.cluster_id AND c.merged_into IS NULL
    AND NOT EXISTS (SELECT FROM cluster_split s WHERE s.from_cluster_id = c.id) AND NOT EXISTS (SELECT FROM moving)
    AND NOT EXISTS (SELECT FROM cluster_member x WHERE x.cluster_id = r.cluster_id AND x.auth_error_id = m.auth_error_id)
  UNION ALL
  SELECT 508, 'a merged cluster points to another, and is empty', count(*) FROM cluster c
  WHERE c.merged_into IS NOT NULL AND (
    NOT EXISTS (SELECT FROM cluster t WHERE t.id = c.merged_into)
    OR EXISTS (SELECT FROM cluster_member m WHERE m.cluster_id = c.id) AND c.id NOT IN (SELECT cluster_id FROM moving))
  UNION ALL
  SELECT 509, 'a split leads from a cluster to a cluster', count(*) FROM cluster_split s
  WHERE NOT EXISTS (SELECT FROM cluster c WHERE c.id = s.from_cluster_id)
     OR NOT EXISTS (SELECT FROM cluster c WHERE c.id = s.to_cluster_id)
  UNION ALL
  SELECT 510, 'a cluster''s error count is that of its members', count(*)
  FROM cluster c LEFT JOIN total t ON t.cluster_id = c.id WHERE c.error_count <> coalesce(t.errors, 0)
  UNION ALL
  SELECT 511, 'a cluster''s actor count is that of its actors', count(*)
  FROM cluster c LEFT JOIN (SELECT cluster_id, count(*) AS actors FROM cluster_facet WHERE kind = 'actor' GROUP BY cluster_id) f
    ON f.cluster_id = c.id
  WHERE c.actor_count <> coalesce(f.actors, 0)
  UNION ALL
  SELECT 512, 'a cluster''s facets are those of its members', count(*)
  FROM cluster_facet stored FULL JOIN (SELECT * FROM facet WHERE errors <> 0) f USING (cluster_id, kind, value)
  WHERE stored.error_count IS DISTINCT FROM f.errors
  UNION ALL
  SELECT 513, 'a facet was seen as late as its members', count(*)
  FROM cluster_facet stored JOIN facet f USING (cluster_id, kind, value)
  WHERE stored.last_seen_at < f.last_seen_at AND cluster_id NOT IN (SELECT cluster_id FROM unsettled)
  UNION ALL
  SELECT 514, 'a cluster''s activity is that of its members', count(*)
  FROM (SELECT * FROM cluster_activity
        WHERE starts_at >= now() - CASE grain WHEN '5min' THEN interval '25 hours' ELSE interval '31 days' END) stored
  FULL JOIN activity a USING (cluster_id, grain, starts_at)
  WHERE coalesce(stored.error_count, 0) <> coalesce(a.errors, 0)
  UNION ALL
  -- The times of a large cluster that errors have left may be too wide
  -- (triage/clusters/move_work.cc).
  SELECT 515, 'a cluster was first and last seen with its members', count(*)
  FROM cluster c JOIN seen s ON s.cluster_id = c.id
  WHERE c.id NOT IN (SELECT cluster_id FROM unsettled)
    AND (c.first_seen_at > s.first OR c.last_seen_at < s.last
         OR (s.errors <= 100000 AND (c.first_seen_at, c.last_seen_at) <> (s.first, s.last)))
  UNION ALL
  SELECT 516, 'a cluster''s sample is one of its members', count(*)
  FROM cluster c JOIN seen s ON s.cluster_id = c.id
  WHERE c.id NOT IN (SELECT cluster_id FROM unsettled)
    AND NOT EXISTS (SELECT FROM cluster_member m WHERE m.cluster_id = c.id AND m.auth_error_id = c.sample_error_id)
  UNION ALL
  SELECT 517, 'a delta belongs to a cluster', count(*) FROM cluster_delta d
  WHERE NOT EXISTS (SELECT FROM cluster c WHERE c.id = d.cluster_id)
  UNION ALL
  SELECT 518, 'a cluster''s first state was OPEN', count(*) FROM cluster_step WHERE previous IS NULL AND from_state <> 'OPEN'
  UNION ALL
  SELECT 519, 'a change of state begins where the last one ended', count(*) FROM cluster_step WHERE from_state <> previous
  UNION ALL
  SELECT 520, 'the last change led to the cluster''s state', count(*)
  FROM cluster c LEFT JOIN cluster_step s ON s.cluster_id = c.id AND s.last
  WHERE c.state <> coalesce(s.to_state, 'OPEN') OR c.state_changed_at <> coalesce(s.changed_at, c.created_at)
  UNION ALL
  SELECT 521, 'a change of state belongs to a cluster', count(*) FROM cluster_step s
  WHERE NOT EXISTS (SELECT FROM cluster c WHERE c.id = s.cluster_id)
  UNION ALL
  SELECT 522, 'a resolved cluster has had no error since', count(*) FROM cluster c
  WHERE c.state = 'RESOLVED' AND c.merged_into IS NULL AND EXISTS (
    SELECT FROM member m WHERE m.cluster_id = c.id AND m.placed_by IS NULL
      AND m.received_at > c.state_changed_at AND m.joined_at > c.state_changed_at)
  -- --- times: now() is a transaction's start, so what comes later may be dated a moment before --------
  UNION ALL
  SELECT 601, 'ids grow with the time of receipt, within an hour', count(*)
  FROM (SELECT received_at, max(received_at) OVER (ORDER BY id) AS latest FROM error) e
  WHERE e.latest - e.received_at > interval '1 hour'
  UNION ALL
  SELECT 602, 'an error''s times are in order', count(*) FROM error
  WHERE occurred_at > received_at + interval '24 hours 1 minute' OR received_at > status_changed_at + interval '1 minute'
     OR status_changed_at > now() + interval '1 minute'
  UNION ALL
  SELECT 603, 'an event''s times are in order', count(*) FROM event
  WHERE status = 'PUBLISHED' AND (created_at > claimed_at + interval '1 minute' OR claimed_at > published_at + interval '1 minute'
                                  OR published_at > now() + interval '1 minute')
  UNION ALL
  SELECT 604, 'a ledger row''s times are in order', count(*) FROM processed_message WHERE created_at > updated_at + interval '1 minute'
  UNION ALL
  SELECT 605, 'changes of status are in order', count(*) FROM step WHERE changed_at < previous_at - interval '1 minute'
  UNION ALL
  SELECT 606, 'a dead letter was closed after it came', count(*) FROM dead_letter WHERE closed_at < created_at - interval '1 minute'
)
SELECT name AS "check", rows AS "rows in violation" FROM result ORDER BY place;
