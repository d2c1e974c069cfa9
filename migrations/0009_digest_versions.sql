-- What a content digest depends on beside the content: the scrubber, its settings and the key of the pseudonyms. Only
-- digests of equal versions tell a repeat from a conflict; rows of earlier versions have none and never conflict.
ALTER TABLE auth_error
  ADD COLUMN content_digest_version text,
  ADD CONSTRAINT auth_error_content_digest_version_form CHECK (
    content_digest_version IS NULL
    OR content_digest IS NOT NULL AND octet_length(content_digest_version) BETWEEN 1 AND 64) NOT VALID;
