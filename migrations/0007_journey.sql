-- Of a published event: when the claim began that published it. processing_started_at ends with the claim.
ALTER TABLE outbox_message
  ADD COLUMN claimed_at timestamptz;
