-- The same forms as before, without counted repetitions: {64} costs PostgreSQL 10 us for each value, a star and a
-- length 0.3. Every row has passed the former check, so the new one is not made to look at them again.
ALTER TABLE auth_error
  DROP CONSTRAINT auth_error_stack_hash_is_sha256,
  ADD CONSTRAINT auth_error_stack_hash_is_sha256 CHECK (
    octet_length(stack_hash) = 64 AND stack_hash ~ '^[0-9a-f]*$') NOT VALID,
  DROP CONSTRAINT auth_error_user_pseudonym_form,
  ADD CONSTRAINT auth_error_user_pseudonym_form CHECK (
    user_pseudonym ~ '^v[1-9][0-9]*:[A-Za-z0-9_-]*$'
    AND octet_length(user_pseudonym) <= 50 AND octet_length(split_part(user_pseudonym, ':', 2)) = 43) NOT VALID,
  DROP CONSTRAINT auth_error_session_pseudonym_form,
  ADD CONSTRAINT auth_error_session_pseudonym_form CHECK (
    session_pseudonym ~ '^v[1-9][0-9]*:[A-Za-z0-9_-]*$'
    AND octet_length(session_pseudonym) <= 50 AND octet_length(split_part(session_pseudonym, ':', 2)) = 43) NOT VALID,
  DROP CONSTRAINT auth_error_client_ip_pseudonym_form,
  ADD CONSTRAINT auth_error_client_ip_pseudonym_form CHECK (
    client_ip_pseudonym ~ '^v[1-9][0-9]*:[A-Za-z0-9_-]*$'
    AND octet_length(client_ip_pseudonym) <= 50 AND octet_length(split_part(client_ip_pseudonym, ':', 2)) = 43) NOT VALID;

ALTER TABLE outbox_message
  DROP CONSTRAINT outbox_message_traceparent_form,
  ADD CONSTRAINT outbox_message_traceparent_form CHECK (
    traceparent ~ '^[0-9a-f]*-[0-9a-f]*-[0-9a-f]*-[0-9a-f]*$' AND octet_length(traceparent) = 55
    AND strpos(traceparent, '-') = 3 AND substr(traceparent, 36, 1) = '-' AND substr(traceparent, 53, 1) = '-') NOT VALID;
