-- migrate: outside a transaction
-- Of the rows that were there before the column nothing is refused by it; to look takes no lock that writers meet.
ALTER TABLE auth_error VALIDATE CONSTRAINT auth_error_content_digest_version_form;
