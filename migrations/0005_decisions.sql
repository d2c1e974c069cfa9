-- What people decided about analysed errors, and the way back from an error to its events.

-- No foreign key: each insert would lock a row that the same transaction has just locked.
CREATE TABLE decision (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  auth_error_id bigint NOT NULL,
  type          text NOT NULL,
  note          text,
  decided_by    text NOT NULL,
  decided_at    timestamptz NOT NULL,

  CONSTRAINT decision_type_known CHECK (type IN ('PROCESS', 'FAIL', 'RESOLVE', 'IGNORE', 'RETRY')),
  CONSTRAINT decision_note_length CHECK (char_length(note) BETWEEN 1 AND 1000),
  CONSTRAINT decision_by_someone CHECK (char_length(decided_by) BETWEEN 1 AND 255)
);
CREATE INDEX decision_of_error ON decision (auth_error_id, id);

-- The events of one error, for its journey. Each costs an entry here when it is written and, since
-- its status is in the predicates of other indexes, one more when it is claimed and when it is
-- published. Its entries grow at the end, so they stay on a few pages that are in memory anyhow.
CREATE INDEX outbox_message_of_error ON outbox_message (aggregate_id);
