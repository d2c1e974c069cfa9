-- Which scrubber an error's texts have gone through: domain::scrubberVersion(). Rows of earlier versions have none, and
-- so do those that an instance of the previous version stores meanwhile: a re-scrub takes them for behind.
ALTER TABLE auth_error
  ADD COLUMN scrub_version text,
  ADD CONSTRAINT auth_error_scrub_version_length CHECK (octet_length(scrub_version) BETWEEN 1 AND 64) NOT VALID;

-- A job that applies the current scrubber to everything stored. It is of no cluster, which is told as 0 and not as null:
-- the previous version reads the column of each job that it lists, and takes no null. It never claims such a job, since
-- it claims by kind. Only instances whose scrubber has the version that was asked for do it.
ALTER TABLE job
  ADD COLUMN scrub_version text,
  DROP CONSTRAINT job_kind_known,
  ADD CONSTRAINT job_kind_known CHECK (kind IN ('decide', 'move', 'scrub')),
  ADD CONSTRAINT job_scrubs_everything CHECK (
    (kind = 'scrub') = (scrub_version IS NOT NULL) AND (kind = 'scrub') = (cluster_id = 0)),
  ADD CONSTRAINT job_scrub_version_length CHECK (octet_length(scrub_version) BETWEEN 1 AND 64);
-- One at a time: whoever asks again gets the one that is open.
CREATE UNIQUE INDEX job_one_open_scrub ON job (kind) WHERE kind = 'scrub' AND status IN ('QUEUED', 'RUNNING');
