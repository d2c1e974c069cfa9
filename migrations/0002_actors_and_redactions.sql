-- Who was involved, as keyed pseudonyms; what was redacted; and what tells a repeat from a conflict.

-- A pseudonym is v{key version}:{HMAC-SHA-256 in base64url}. The plain columns are filled only where
-- the settings allow it.
ALTER TABLE auth_error
  ADD COLUMN user_pseudonym      text,
  ADD COLUMN session_pseudonym   text,
  ADD COLUMN client_ip_pseudonym text,
  ADD COLUMN user_id             text,
  ADD COLUMN session_id          text,
  ADD COLUMN client_ip           text,
  ADD COLUMN redactions          jsonb,
  ADD COLUMN content_digest      bytea,

  ADD CONSTRAINT auth_error_user_pseudonym_form CHECK (
    user_pseudonym ~ '^v[1-9][0-9]{0,4}:[A-Za-z0-9_-]{43}$') NOT VALID,
  ADD CONSTRAINT auth_error_session_pseudonym_form CHECK (
    session_pseudonym ~ '^v[1-9][0-9]{0,4}:[A-Za-z0-9_-]{43}$') NOT VALID,
  ADD CONSTRAINT auth_error_client_ip_pseudonym_form CHECK (
    client_ip_pseudonym ~ '^v[1-9][0-9]{0,4}:[A-Za-z0-9_-]{43}$') NOT VALID,
  ADD CONSTRAINT auth_error_user_id_length CHECK (char_length(user_id) BETWEEN 1 AND 1024) NOT VALID,
  ADD CONSTRAINT auth_error_session_id_length CHECK (char_length(session_id) BETWEEN 1 AND 1024) NOT VALID,
  ADD CONSTRAINT auth_error_client_ip_length CHECK (char_length(client_ip) BETWEEN 2 AND 45) NOT VALID,
  ADD CONSTRAINT auth_error_root_cause_class_length CHECK (char_length(root_cause_class) BETWEEN 1 AND 255) NOT VALID,
  ADD CONSTRAINT auth_error_http_method_length CHECK (char_length(http_method) BETWEEN 1 AND 32) NOT VALID,
  ADD CONSTRAINT auth_error_request_uri_length CHECK (char_length(request_uri) BETWEEN 1 AND 2000) NOT VALID,
  ADD CONSTRAINT auth_error_user_agent_length CHECK (char_length(user_agent) BETWEEN 1 AND 500) NOT VALID,
  ADD CONSTRAINT auth_error_service_name_length CHECK (char_length(service_name) BETWEEN 1 AND 255) NOT VALID,
  ADD CONSTRAINT auth_error_environment_length CHECK (char_length(environment) BETWEEN 1 AND 255) NOT VALID,
  ADD CONSTRAINT auth_error_trace_id_length CHECK (char_length(trace_id) BETWEEN 1 AND 255) NOT VALID,
  ADD CONSTRAINT auth_error_redactions_is_object CHECK (jsonb_typeof(redactions) = 'object') NOT VALID,
  ADD CONSTRAINT auth_error_content_digest_length CHECK (octet_length(content_digest) = 16) NOT VALID;

-- Errors come in about the order they occurred: a summary per block range finds a time range for a
-- hundredth of a B-tree's cost at each insert.
CREATE INDEX auth_error_occurred_at ON auth_error USING brin (occurred_at) WITH (pages_per_range = 32);
CREATE INDEX auth_error_user ON auth_error (user_pseudonym, id) WHERE user_pseudonym IS NOT NULL;
CREATE INDEX auth_error_session ON auth_error (session_pseudonym, id) WHERE session_pseudonym IS NOT NULL;
CREATE INDEX auth_error_client_ip ON auth_error (client_ip_pseudonym, id) WHERE client_ip_pseudonym IS NOT NULL;
CREATE INDEX auth_error_stack_hash ON auth_error (stack_hash, id) WHERE stack_hash IS NOT NULL;
