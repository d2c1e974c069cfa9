-- The error, its events, and the consumer's ledger. What SQL can state of the rules is stated here.

CREATE TABLE auth_error (
  id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dedup_key          text NOT NULL,
  status             text NOT NULL,
  occurred_at        timestamptz NOT NULL,
  received_at        timestamptz NOT NULL,
  status_changed_at  timestamptz NOT NULL,
  http_status        smallint NOT NULL,
  exception_class    text NOT NULL,
  exception_message  text,
  root_cause_class   text,
  root_cause_message text,
  stacktrace         text COMPRESSION lz4 NOT NULL,
  http_method        text,
  request_uri        text,
  user_agent         text,
  service_name       text,
  environment        text,
  trace_id           text,
  stack_hash         text,
  retry_count        integer NOT NULL,
  next_retry_at      timestamptz,

  CONSTRAINT auth_error_dedup_key_unique UNIQUE (dedup_key),
  CONSTRAINT auth_error_dedup_key_length CHECK (octet_length(dedup_key) BETWEEN 1 AND 128),
  CONSTRAINT auth_error_status_known CHECK (status IN (
    'NEW', 'RETRY', 'ANALYSIS_REQUESTED', 'ANALYSIS_COMPLETED',
    'PROCESSED', 'FAILED', 'RESOLVED', 'IGNORED')),
  CONSTRAINT auth_error_http_status_range CHECK (http_status BETWEEN 100 AND 599),
  CONSTRAINT auth_error_exception_class_length CHECK (char_length(exception_class) BETWEEN 1 AND 255),
  CONSTRAINT auth_error_exception_message_length CHECK (char_length(exception_message) BETWEEN 1 AND 1000),
  CONSTRAINT auth_error_root_cause_message_length CHECK (char_length(root_cause_message) BETWEEN 1 AND 1000),
  CONSTRAINT auth_error_stacktrace_length CHECK (char_length(stacktrace) BETWEEN 1 AND 8000),
  CONSTRAINT auth_error_stack_hash_is_sha256 CHECK (stack_hash ~ '^[0-9a-f]{64}$'),
  CONSTRAINT auth_error_analysed_has_hash CHECK (
    status NOT IN ('ANALYSIS_COMPLETED', 'PROCESSED') OR stack_hash IS NOT NULL),
  CONSTRAINT auth_error_retry_count_not_negative CHECK (retry_count >= 0)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE outbox_message (
  id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  aggregate_type        text NOT NULL,
  aggregate_id          bigint NOT NULL,
  event_type            text NOT NULL,
  idempotency_key       text NOT NULL,
  payload               jsonb NOT NULL,
  status                text NOT NULL,
  retry_count           integer NOT NULL,
  next_retry_at         timestamptz,
  processing_owner      text,
  processing_started_at timestamptz,
  published_at          timestamptz,
  created_at            timestamptz NOT NULL,

  CONSTRAINT outbox_message_idempotency_key_unique UNIQUE (idempotency_key),
  -- Never from the request id: the third part of the key is the AuthError's own id.
  CONSTRAINT outbox_message_key_from_aggregate_id CHECK (
    split_part(idempotency_key, ':', 1) = aggregate_type
    AND split_part(idempotency_key, ':', 3) = aggregate_id::text),
  CONSTRAINT outbox_message_payload_names_aggregate CHECK (
    jsonb_typeof(payload) = 'object' AND payload -> 'authErrorId' = to_jsonb(aggregate_id)),
  CONSTRAINT outbox_message_status_known CHECK (
    status IN ('PENDING', 'PROCESSING', 'PUBLISHED', 'DEAD')),
  CONSTRAINT outbox_message_retry_count_not_negative CHECK (retry_count >= 0),
  CONSTRAINT outbox_message_claimed_while_processing CHECK (
    (status = 'PROCESSING') = (processing_owner IS NOT NULL)
    AND (status = 'PROCESSING') = (processing_started_at IS NOT NULL)),
  CONSTRAINT outbox_message_published_has_time CHECK (
    (status = 'PUBLISHED') = (published_at IS NOT NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.02);

-- Only what is waiting or being worked on is indexed: published rows cost nothing here.
CREATE INDEX outbox_message_due ON outbox_message (next_retry_at NULLS FIRST, id)
  WHERE status = 'PENDING';
CREATE INDEX outbox_message_claimed ON outbox_message (processing_started_at)
  WHERE status = 'PROCESSING';

-- No foreign key to the outbox: its rows are cleaned up earlier than the ledger's.
CREATE TABLE processed_message (
  outbox_id     bigint PRIMARY KEY,
  status        text NOT NULL,
  retry_count   integer NOT NULL,
  next_retry_at timestamptz,
  lease_owner   text,
  lease_until   timestamptz,
  created_at    timestamptz NOT NULL,
  updated_at    timestamptz NOT NULL,

  CONSTRAINT processed_message_status_known CHECK (
    status IN ('PENDING', 'PROCESSING', 'RETRY_WAIT', 'DONE', 'DEAD')),
  CONSTRAINT processed_message_retry_count_not_negative CHECK (retry_count >= 0),
  CONSTRAINT processed_message_leased_while_processing CHECK (
    (status = 'PROCESSING') = (lease_owner IS NOT NULL)
    AND (status = 'PROCESSING') = (lease_until IS NOT NULL)),
  CONSTRAINT processed_message_retry_wait_has_time CHECK (
    status <> 'RETRY_WAIT' OR next_retry_at IS NOT NULL)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.02);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation',
    CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

-- Rules about a change rather than a state: triggers that cost nothing unless the columns are named.
CREATE TRIGGER auth_error_terminal_is_final BEFORE UPDATE OF status ON auth_error
  FOR EACH ROW WHEN (OLD.status IN ('PROCESSED', 'FAILED', 'RESOLVED', 'IGNORED')
                     AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION refuse_change('a terminal status is never left');
CREATE TRIGGER auth_error_dedup_key_is_fixed BEFORE UPDATE OF dedup_key ON auth_error
  FOR EACH ROW WHEN (NEW.dedup_key IS DISTINCT FROM OLD.dedup_key)
  EXECUTE FUNCTION refuse_change('a dedup_key never changes');
CREATE TRIGGER outbox_message_event_is_fixed
  BEFORE UPDATE OF aggregate_type, aggregate_id, event_type, idempotency_key, payload ON outbox_message
  FOR EACH ROW WHEN ((NEW.aggregate_type, NEW.aggregate_id, NEW.event_type, NEW.idempotency_key, NEW.payload)
                     IS DISTINCT FROM
                     (OLD.aggregate_type, OLD.aggregate_id, OLD.event_type, OLD.idempotency_key, OLD.payload))
  EXECUTE FUNCTION refuse_change('an event never changes once it is written');
