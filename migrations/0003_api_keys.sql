-- The keys that clients call with. Only a key's SHA-256 is stored: 256 random bits need no slow hash.

CREATE TABLE api_key (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text NOT NULL,
  role          text NOT NULL,
  service_name  text,
  secret_digest bytea NOT NULL,
  rate_limit    integer,
  created_at    timestamptz NOT NULL,
  created_by    text NOT NULL,
  revoked_at    timestamptz,
  revoked_by    text,

  CONSTRAINT api_key_name_unique UNIQUE (name),
  CONSTRAINT api_key_name_form CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  -- Metrics use these two for requests without a key and for names beyond their bound.
  CONSTRAINT api_key_name_not_reserved CHECK (name NOT IN ('none', 'other')),
  CONSTRAINT api_key_role_known CHECK (role IN ('ingest', 'viewer', 'operator')),
  CONSTRAINT api_key_service_of_ingest_only CHECK (
    service_name IS NULL OR (role = 'ingest' AND char_length(service_name) BETWEEN 1 AND 255)),
  CONSTRAINT api_key_secret_digest_unique UNIQUE (secret_digest),
  CONSTRAINT api_key_secret_digest_is_sha256 CHECK (octet_length(secret_digest) = 32),
  -- Requests a second; 0 is no limit, null the instance's default.
  CONSTRAINT api_key_rate_limit_range CHECK (rate_limit BETWEEN 0 AND 1000000),
  CONSTRAINT api_key_created_by_length CHECK (char_length(created_by) BETWEEN 1 AND 255),
  CONSTRAINT api_key_revoked_by_length CHECK (char_length(revoked_by) BETWEEN 1 AND 255),
  CONSTRAINT api_key_revoked_by_someone CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);

CREATE TRIGGER api_key_revocation_is_final BEFORE UPDATE OF revoked_at ON api_key
  FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
  EXECUTE FUNCTION refuse_change('a revoked key stays revoked');
CREATE TRIGGER api_key_identity_is_fixed
  BEFORE UPDATE OF name, role, service_name, secret_digest ON api_key
  FOR EACH ROW WHEN ((NEW.name, NEW.role, NEW.service_name, NEW.secret_digest)
                     IS DISTINCT FROM (OLD.name, OLD.role, OLD.service_name, OLD.secret_digest))
  EXECUTE FUNCTION refuse_change('a key never becomes another one');

-- Keys change rarely, so the global lock that NOTIFY takes at commit costs nothing here.
CREATE FUNCTION notify_api_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('api_key_changed', '');
  RETURN NULL;
END $$;
CREATE TRIGGER api_key_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON api_key
  FOR EACH STATEMENT EXECUTE FUNCTION notify_api_key_change();
