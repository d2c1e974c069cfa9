-- Where the time of one error goes, by the clock of the database. A row's time is its transaction's
-- start, so a step ends where the next one begins, its own commit included in the latter.
SELECT format('stored to leased %s, to its effect %s, to the second lease %s, to the analysis %s',
              round(1000 * percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM p1.created_at - m1.created_at))::numeric, 1),
              round(1000 * percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM p1.updated_at - p1.created_at))::numeric, 1),
              round(1000 * percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM p2.created_at - p1.updated_at))::numeric, 1),
              round(1000 * percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM p2.updated_at - p2.created_at))::numeric, 1))
FROM outbox_message m1
JOIN processed_message p1 ON p1.outbox_id = m1.id
JOIN outbox_message m2 ON m2.aggregate_id = m1.aggregate_id AND m2.event_type = 'auth.error.analysis.requested.v1'
JOIN processed_message p2 ON p2.outbox_id = m2.id
WHERE m1.event_type = 'auth.error.recorded.v1';
