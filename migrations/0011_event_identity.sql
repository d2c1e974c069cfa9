-- A ledger row belongs to one event, not to one number. After a restore or a failover the sequences
-- give out ids again that messages in the broker still carry, and with them recur the idempotency
-- keys; the random id of an event never does.

-- Two statements: a column added with this default would rewrite the whole table. The default is
-- for the previous version, which does not name the column. Rows that are there already stay without
-- an id, as their messages do, and are known by their keys.
ALTER TABLE outbox_message ADD COLUMN event_id uuid;
ALTER TABLE outbox_message ALTER COLUMN event_id SET DEFAULT gen_random_uuid();
CREATE TRIGGER outbox_message_event_id_is_fixed BEFORE UPDATE OF event_id ON outbox_message
  FOR EACH ROW WHEN (NEW.event_id IS DISTINCT FROM OLD.event_id)
  EXECUTE FUNCTION refuse_change('an event never changes once it is written');

-- lease_expired_at: when a lease of the event was last taken over because nobody had ended it. What
-- has one may have killed its consumer, and is from then on handled alone.
ALTER TABLE processed_message
  ADD COLUMN event_id         uuid,
  ADD COLUMN lease_expired_at timestamptz;

ALTER TABLE dead_letter ADD COLUMN event_id uuid;
