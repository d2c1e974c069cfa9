-- No colon inside a literal: pgbench would take what follows for a variable.
\set salt random(1, 9000000000000000)
BEGIN;
INSERT INTO auth_error (dedup_key, exception_class, stacktrace, occurred_at, http_status,
                        status, received_at, status_changed_at, retry_count)
VALUES ('pgbench-' || :client_id::text || '-' || :salt::text, 'org.example.security.BadCredentialsException',
        repeat(E'\tat org.example.security.Filter.doFilter(Filter.java)(42)\n', 36), now(), 401,
        'NEW', now(), now(), 0)
RETURNING id \gset
INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type, idempotency_key, payload,
                            status, retry_count, created_at)
VALUES ('auth_error', :id::bigint, 'auth.error.recorded.v1', concat_ws(chr(58), 'auth_error', 'recorded', :id::bigint),
        jsonb_build_object('authErrorId', :id::bigint, 'occurredAt', now()), 'PENDING', 0, now());
COMMIT;
