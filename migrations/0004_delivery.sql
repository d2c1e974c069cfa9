-- From a committed outbox row to an effect applied once: what delivery needs to remember.

-- The traceparent is the request's that made the event. The round counts how often a person has sent
-- the event on its way again; each round has its own dead letter.
ALTER TABLE outbox_message
  ADD COLUMN traceparent  text,
  ADD COLUMN retry_round  integer NOT NULL DEFAULT 0,
  ADD COLUMN published_by text,

  ADD CONSTRAINT outbox_message_traceparent_form CHECK (
    traceparent ~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') NOT VALID,
  ADD CONSTRAINT outbox_message_retry_round_not_negative CHECK (retry_round >= 0) NOT VALID;

ALTER TABLE processed_message
  ADD COLUMN completed_by text;

-- The moment from which a row may be claimed, as one expression: rows that wait for a later retry are
-- then never read, and neither fresh rows nor due retries starve the others.
DROP INDEX outbox_message_due;
CREATE INDEX outbox_message_due ON outbox_message (coalesce(next_retry_at, created_at), id)
  WHERE status = 'PENDING';

-- For the sweeper: what was published in a span of time, and what the ledger has open.
CREATE INDEX outbox_message_published ON outbox_message (published_at) WHERE status = 'PUBLISHED';
CREATE INDEX processed_message_open ON processed_message (updated_at)
  WHERE status IN ('PENDING', 'PROCESSING', 'RETRY_WAIT');

-- Everything published up to this moment has been looked after. One row.
CREATE TABLE sweeper_mark (
  one_row     boolean PRIMARY KEY,
  swept_until timestamptz NOT NULL,

  CONSTRAINT sweeper_mark_one_row CHECK (one_row)
);
INSERT INTO sweeper_mark (one_row, swept_until) VALUES (true, '-infinity');

-- Failed attempts only: what went well is told by the rows themselves.
CREATE TABLE delivery_attempt (
  id          bigint GENERATED ALWAYS AS IDENTITY,
  outbox_id   bigint NOT NULL,
  retry_round integer NOT NULL,
  stage       text NOT NULL,
  attempt     integer NOT NULL,
  error       text NOT NULL,
  instance    text NOT NULL,
  failed_at   timestamptz NOT NULL,

  PRIMARY KEY (outbox_id, id),
  CONSTRAINT delivery_attempt_stage_known CHECK (stage IN ('publish', 'consume')),
  CONSTRAINT delivery_attempt_counts_from_one CHECK (attempt >= 1),
  CONSTRAINT delivery_attempt_error_length CHECK (char_length(error) BETWEEN 1 AND 1000)
);

-- Every change of an AuthError's status, written by the transaction that makes it. No foreign key:
-- each insert would lock a row that the same transaction has just locked.
CREATE TABLE auth_error_transition (
  id            bigint GENERATED ALWAYS AS IDENTITY,
  auth_error_id bigint NOT NULL,
  from_status   text NOT NULL,
  to_status     text NOT NULL,
  cause         text NOT NULL,
  changed_by    text NOT NULL,
  changed_at    timestamptz NOT NULL,

  PRIMARY KEY (auth_error_id, id),
  CONSTRAINT auth_error_transition_allowed CHECK (
    (from_status IN ('NEW', 'RETRY') AND to_status = 'ANALYSIS_REQUESTED')
    OR (from_status IN ('NEW', 'ANALYSIS_REQUESTED', 'ANALYSIS_COMPLETED') AND to_status = 'RETRY')
    OR (from_status IN ('ANALYSIS_REQUESTED', 'RETRY') AND to_status = 'ANALYSIS_COMPLETED')
    OR (from_status = 'ANALYSIS_COMPLETED' AND to_status = 'PROCESSED')
    OR (from_status IN ('NEW', 'RETRY', 'ANALYSIS_REQUESTED', 'ANALYSIS_COMPLETED')
        AND to_status IN ('FAILED', 'RESOLVED', 'IGNORED'))),
  CONSTRAINT auth_error_transition_by_someone CHECK (char_length(changed_by) BETWEEN 1 AND 255)
);

-- Messages that the system has given up on. One of ours is known by its outbox row and round, a
-- stranger's by the digest of what it holds.
CREATE TABLE dead_letter (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  status         text NOT NULL,
  source         text NOT NULL,
  reason         text NOT NULL,
  error          text,
  outbox_id      bigint,
  retry_round    integer,
  digest         bytea,
  event_type     text,
  aggregate_type text,
  aggregate_id   bigint,
  payload        jsonb,
  -- Of a stranger's message: scrubbed and capped; a body that is not text is told as base64.
  body           text,
  body_encoding  text,
  headers        jsonb,
  traceparent    text,
  attempts       jsonb NOT NULL,
  created_at     timestamptz NOT NULL,
  closed_at      timestamptz,
  closed_by      text,
  note           text,
  decision       text,

  CONSTRAINT dead_letter_status_known CHECK (status IN ('OPEN', 'RETRIED', 'RESOLVED')),
  CONSTRAINT dead_letter_source_known CHECK (source IN ('outbox', 'consumer', 'queue')),
  CONSTRAINT dead_letter_reason_form CHECK (reason ~ '^[a-z_]{1,64}$'),
  CONSTRAINT dead_letter_error_length CHECK (char_length(error) BETWEEN 1 AND 1000),
  CONSTRAINT dead_letter_ours_or_foreign CHECK (
    (outbox_id IS NULL) = (retry_round IS NULL) AND (outbox_id IS NULL) = (digest IS NOT NULL)),
  CONSTRAINT dead_letter_once_a_round UNIQUE (outbox_id, retry_round),
  CONSTRAINT dead_letter_foreign_once UNIQUE (digest),
  CONSTRAINT dead_letter_digest_is_sha256 CHECK (octet_length(digest) = 32),
  CONSTRAINT dead_letter_body_encoding_known CHECK (
    (body IS NULL) = (body_encoding IS NULL) AND body_encoding IN ('text', 'base64')),
  CONSTRAINT dead_letter_note_length CHECK (char_length(note) BETWEEN 1 AND 1000),
  CONSTRAINT dead_letter_attempts_is_array CHECK (jsonb_typeof(attempts) = 'array'),
  CONSTRAINT dead_letter_closed_by_someone CHECK (
    (status = 'OPEN') = (closed_at IS NULL) AND (status = 'OPEN') = (closed_by IS NULL)),
  CONSTRAINT dead_letter_decision_of_resolved CHECK (
    decision IS NULL OR (status = 'RESOLVED' AND decision IN ('FAIL', 'RESOLVE', 'IGNORE')))
);
CREATE INDEX dead_letter_open ON dead_letter (id) WHERE status = 'OPEN';
CREATE INDEX dead_letter_of_error ON dead_letter (aggregate_id, id);
CREATE TRIGGER dead_letter_closed_is_final BEFORE UPDATE OF status ON dead_letter
  FOR EACH ROW WHEN (OLD.status <> 'OPEN' AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION refuse_change('a closed dead letter stays closed');
