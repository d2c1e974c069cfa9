-- The instance that took the error in; rows of earlier versions have none.
ALTER TABLE auth_error
  ADD COLUMN received_by text;

-- Of a published event: when the claim began that published it. processing_started_at ends with the claim.
ALTER TABLE outbox_message
  ADD COLUMN claimed_at timestamptz;
