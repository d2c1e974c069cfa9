-- The keys of the pseudonyms, by a fingerprint that gives nothing of a secret away: so an instance that has other keys
-- than its sisters, or none, is found before it stores users that nobody finds again.
CREATE TABLE actor_key (
  version       integer     PRIMARY KEY,
  fingerprint   text        NOT NULL,
  first_seen_at timestamptz NOT NULL,
  first_seen_by text        NOT NULL,

  CONSTRAINT actor_key_version_range CHECK (version BETWEEN 1 AND 65535),
  CONSTRAINT actor_key_fingerprint_form CHECK (
    octet_length(fingerprint) = 32 AND fingerprint ~ '^[0-9a-f]*$'),
  CONSTRAINT actor_key_seen_by_someone CHECK (char_length(first_seen_by) BETWEEN 1 AND 255)
);
