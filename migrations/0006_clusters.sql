-- Equal faults meet in clusters, people and rules decide on them, and long work is done as jobs.

-- One kind of fault as people see it. Its numbers are what the flusher has added up from
-- cluster_delta; a cluster that was merged away only points to where its errors went.
CREATE TABLE cluster (
  id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title             text NOT NULL,
  exception_class   text NOT NULL,
  state             text NOT NULL,
  state_changed_at  timestamptz NOT NULL,
  state_changed_by  text NOT NULL,
  state_note        text,
  -- Quiet until then, or until it has had so many errors.
  muted_until       timestamptz,
  muted_until_count bigint,
  muted_by          text,
  merged_into       bigint,
  sample_error_id   bigint NOT NULL,
  error_count       bigint NOT NULL,
  actor_count       bigint NOT NULL,
  first_seen_at     timestamptz NOT NULL,
  last_seen_at      timestamptz NOT NULL,
  created_at        timestamptz NOT NULL,

  CONSTRAINT cluster_title_length CHECK (char_length(title) BETWEEN 1 AND 255),
  CONSTRAINT cluster_exception_class_length CHECK (char_length(exception_class) BETWEEN 1 AND 255),
  CONSTRAINT cluster_state_known CHECK (state IN ('OPEN', 'RESOLVED', 'IGNORED', 'REGRESSED')),
  CONSTRAINT cluster_state_changed_by_someone CHECK (char_length(state_changed_by) BETWEEN 1 AND 255),
  CONSTRAINT cluster_state_note_length CHECK (char_length(state_note) BETWEEN 1 AND 1000),
  CONSTRAINT cluster_muted_one_way CHECK (muted_until IS NULL OR muted_until_count IS NULL),
  CONSTRAINT cluster_muted_by_someone CHECK (
    (muted_by IS NULL) = (muted_until IS NULL AND muted_until_count IS NULL)),
  CONSTRAINT cluster_not_merged_into_itself CHECK (merged_into <> id),
  CONSTRAINT cluster_error_count_not_negative CHECK (error_count >= 0),
  CONSTRAINT cluster_actor_count_not_negative CHECK (actor_count >= 0),
  CONSTRAINT cluster_seen_in_order CHECK (first_seen_at <= last_seen_at)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX cluster_merged_into ON cluster (merged_into) WHERE merged_into IS NOT NULL;
-- One for each order in which clusters are listed. The flusher writes to them for each cluster that
-- has new errors, once a second: about 10 us, against all clusters to be read for each page.
CREATE INDEX cluster_by_last_seen ON cluster (last_seen_at, id) WHERE merged_into IS NULL;
CREATE INDEX cluster_by_first_seen ON cluster (first_seen_at, id) WHERE merged_into IS NULL;
CREATE INDEX cluster_by_error_count ON cluster (error_count, id) WHERE merged_into IS NULL;

CREATE TABLE cluster_transition (
  id         bigint GENERATED ALWAYS AS IDENTITY,
  cluster_id bigint NOT NULL,
  from_state text NOT NULL,
  to_state   text NOT NULL,
  cause      text NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL,
  note       text,

  PRIMARY KEY (cluster_id, id),
  CONSTRAINT cluster_transition_allowed CHECK (
    (from_state IN ('OPEN', 'IGNORED', 'REGRESSED') AND to_state = 'RESOLVED')
    OR (from_state IN ('OPEN', 'RESOLVED', 'REGRESSED') AND to_state = 'IGNORED')
    OR (from_state IN ('RESOLVED', 'IGNORED', 'REGRESSED') AND to_state = 'OPEN')
    OR (from_state = 'RESOLVED' AND to_state = 'REGRESSED')),
  CONSTRAINT cluster_transition_by_someone CHECK (char_length(changed_by) BETWEEN 1 AND 255),
  CONSTRAINT cluster_transition_note_length CHECK (char_length(note) BETWEEN 1 AND 1000)
);

-- Where errors with this hash go. The fingerprint is what was hashed, for whoever asks why.
CREATE TABLE cluster_route (
  stack_hash  text PRIMARY KEY,
  version     smallint NOT NULL,
  cluster_id  bigint NOT NULL,
  fingerprint jsonb NOT NULL,
  created_at  timestamptz NOT NULL,

  CONSTRAINT cluster_route_stack_hash_is_sha256 CHECK (stack_hash ~ '^[0-9a-f]{64}$'),
  CONSTRAINT cluster_route_fingerprint_is_object CHECK (jsonb_typeof(fingerprint) = 'object')
);
CREATE INDEX cluster_route_of_cluster ON cluster_route (cluster_id);

-- Of the errors that come to one cluster those that match go on to another. The columns are those of
-- every match: what is null matches all; at least one is given.
CREATE TABLE cluster_split (
  id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  from_cluster_id       bigint NOT NULL,
  to_cluster_id         bigint NOT NULL,
  match_cluster_id      bigint,
  match_exception_class text,
  match_http_status     integer,
  match_service_name    text,
  match_environment     text,
  match_message         text,
  created_at            timestamptz NOT NULL,
  created_by            text NOT NULL,

  CONSTRAINT cluster_split_goes_elsewhere CHECK (from_cluster_id <> to_cluster_id),
  CONSTRAINT cluster_split_matches_something CHECK (
    num_nonnulls(match_exception_class, match_http_status, match_service_name, match_environment,
                 match_message) > 0
    AND match_cluster_id IS NULL),
  CONSTRAINT cluster_split_by_someone CHECK (char_length(created_by) BETWEEN 1 AND 255)
);
CREATE INDEX cluster_split_of_cluster ON cluster_split (from_cluster_id, id);

-- No foreign keys: each insert would lock rows that a busy cluster shares.
CREATE TABLE cluster_member (
  cluster_id    bigint NOT NULL,
  auth_error_id bigint NOT NULL,
  stack_hash    text NOT NULL,  -- by which it is counted
  joined_at     timestamptz NOT NULL,
  placed_by     text,           -- null: its hash led there

  PRIMARY KEY (cluster_id, auth_error_id),
  CONSTRAINT cluster_member_placed_by_someone CHECK (char_length(placed_by) BETWEEN 1 AND 255)
);
CREATE INDEX cluster_member_of_error ON cluster_member (auth_error_id);

-- Memberships made and ended, not yet added to their clusters' numbers: written by the transaction
-- that makes them, deleted by the one that adds them up.
CREATE TABLE cluster_delta (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cluster_id   bigint NOT NULL,
  change       smallint NOT NULL,
  occurred_at  timestamptz NOT NULL,
  stack_hash   text NOT NULL,
  service_name text,
  environment  text,
  actor        text,

  CONSTRAINT cluster_delta_one_more_or_less CHECK (change IN (-1, 1))
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);

-- When deltas were last added up. One row, which whoever adds them up holds.
CREATE TABLE delta_flush (
  one_row    boolean PRIMARY KEY,
  flushed_at timestamptz NOT NULL,

  CONSTRAINT delta_flush_one_row CHECK (one_row)
);
INSERT INTO delta_flush (one_row, flushed_at) VALUES (true, '-infinity');

-- Where and whom a cluster's errors hit, and by which hashes they came. Rows without errors are
-- deleted, so that counting rows is counting values. No CHECK on the counts: it would also see the
-- change that an upsert proposes, which may be negative.
CREATE TABLE cluster_facet (
  cluster_id   bigint NOT NULL,
  kind         text NOT NULL,
  value        text NOT NULL,
  error_count  bigint NOT NULL,
  last_seen_at timestamptz NOT NULL,

  PRIMARY KEY (cluster_id, kind, value),
  CONSTRAINT cluster_facet_kind_known CHECK (kind IN ('service', 'environment', 'actor', 'hash'))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX cluster_facet_value ON cluster_facet (kind, value, cluster_id)
  WHERE kind IN ('service', 'environment');
CREATE INDEX cluster_facet_actor_seen ON cluster_facet (cluster_id, last_seen_at) WHERE kind = 'actor';

-- How many errors occurred when: five minutes for a bit more than a day, hours for a month.
CREATE TABLE cluster_activity (
  cluster_id  bigint NOT NULL,
  grain       text NOT NULL,
  starts_at   timestamptz NOT NULL,
  error_count bigint NOT NULL,

  PRIMARY KEY (cluster_id, grain, starts_at),
  CONSTRAINT cluster_activity_grain_known CHECK (grain IN ('5min', 'hour'))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX cluster_activity_age ON cluster_activity (grain, starts_at);

-- Long work, done in chunks by whoever holds its lease; each chunk commits with the position it has
-- come to.
CREATE TABLE job (
  id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind                  text NOT NULL,
  status                text NOT NULL,
  cluster_id            bigint NOT NULL,
  target_cluster_id     bigint,
  decision              text,
  note                  text,
  stack_hashes          text[],
  match_cluster_id      bigint,
  match_exception_class text,
  match_http_status     integer,
  match_service_name    text,
  match_environment     text,
  match_message         text,
  traceparent           text,
  requested_by          text NOT NULL,
  total                 bigint NOT NULL,
  examined              bigint NOT NULL,
  changed               bigint NOT NULL,
  -- The member looked at last, and the last one to look at.
  position              bigint NOT NULL,
  last_position         bigint NOT NULL,
  lease_owner           text,
  lease_until           timestamptz,
  failures              integer NOT NULL,
  error                 text,
  cancelled_by          text,
  created_at            timestamptz NOT NULL,
  started_at            timestamptz,
  finished_at           timestamptz,

  CONSTRAINT job_kind_known CHECK (kind IN ('decide', 'move')),
  CONSTRAINT job_status_known CHECK (status IN ('QUEUED', 'RUNNING', 'DONE', 'CANCELLED', 'FAILED')),
  CONSTRAINT job_decides_or_moves CHECK (
    (kind = 'decide') = (decision IS NOT NULL) AND (kind = 'move') = (target_cluster_id IS NOT NULL)),
  CONSTRAINT job_decision_known CHECK (decision IN ('PROCESS', 'FAIL', 'RESOLVE', 'IGNORE', 'RETRY')),
  CONSTRAINT job_note_length CHECK (char_length(note) BETWEEN 1 AND 1000),
  CONSTRAINT job_requested_by_someone CHECK (char_length(requested_by) BETWEEN 1 AND 255),
  CONSTRAINT job_progress_in_order CHECK (
    total >= 0 AND examined >= changed AND changed >= 0 AND failures >= 0),
  CONSTRAINT job_leased_while_running CHECK (
    (status = 'RUNNING') = (lease_owner IS NOT NULL) AND (status = 'RUNNING') = (lease_until IS NOT NULL)),
  CONSTRAINT job_ended_at_some_time CHECK (
    (status IN ('DONE', 'CANCELLED', 'FAILED')) = (finished_at IS NOT NULL)),
  CONSTRAINT job_cancelled_by_someone CHECK (
    (status = 'CANCELLED') = (cancelled_by IS NOT NULL) AND char_length(cancelled_by) BETWEEN 1 AND 255),
  CONSTRAINT job_failed_with_error CHECK (
    (status <> 'FAILED' OR error IS NOT NULL) AND char_length(error) BETWEEN 1 AND 1000)
);
CREATE INDEX job_open ON job (id) WHERE status IN ('QUEUED', 'RUNNING');
CREATE INDEX job_of_cluster ON job (cluster_id, id);
CREATE TRIGGER job_ended_is_final BEFORE UPDATE OF status ON job
  FOR EACH ROW WHEN (OLD.status IN ('DONE', 'CANCELLED', 'FAILED') AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION refuse_change('a job that has ended stays ended');

ALTER TABLE decision ADD COLUMN job_id bigint;

-- What is decided without a person. A rule without an age acts when an error is analysed; one with an
-- age when an error has been waiting undecided for so long.
CREATE TABLE rule (
  id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name                  text NOT NULL,
  position              integer NOT NULL,
  enabled               boolean NOT NULL,
  match_cluster_id      bigint,
  match_exception_class text,
  match_http_status     integer,
  match_service_name    text,
  match_environment     text,
  match_message         text,
  action                text NOT NULL,
  note                  text,
  after_seconds         bigint,
  hit_count             bigint NOT NULL,
  last_hit_at           timestamptz,
  failure_count         bigint NOT NULL,
  last_failure          text,
  last_failure_at       timestamptz,
  -- Of a rule with an age: the errors analysed up to here have been looked at.
  scanned_until         timestamptz NOT NULL,
  scanned_id            bigint NOT NULL,
  created_at            timestamptz NOT NULL,
  created_by            text NOT NULL,
  changed_at            timestamptz NOT NULL,
  changed_by            text NOT NULL,

  CONSTRAINT rule_name_unique UNIQUE (name),
  CONSTRAINT rule_name_form CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  CONSTRAINT rule_position_range CHECK (position BETWEEN 1 AND 1000000),
  CONSTRAINT rule_matches_something CHECK (
    num_nonnulls(match_cluster_id, match_exception_class, match_http_status, match_service_name,
                 match_environment, match_message) > 0),
  CONSTRAINT rule_action_known CHECK (action IN ('PROCESS', 'FAIL', 'RESOLVE', 'IGNORE', 'RETRY')),
  -- To analyse at once what was analysed just now would never end.
  CONSTRAINT rule_retries_only_with_age CHECK (action <> 'RETRY' OR after_seconds IS NOT NULL),
  CONSTRAINT rule_note_length CHECK (char_length(note) BETWEEN 1 AND 1000),
  CONSTRAINT rule_after_seconds_range CHECK (after_seconds BETWEEN 60 AND 31536000),
  CONSTRAINT rule_counts_not_negative CHECK (hit_count >= 0 AND failure_count >= 0),
  CONSTRAINT rule_last_failure_length CHECK (char_length(last_failure) BETWEEN 1 AND 1000),
  CONSTRAINT rule_by_someone CHECK (
    char_length(created_by) BETWEEN 1 AND 255 AND char_length(changed_by) BETWEEN 1 AND 255)
);
CREATE INDEX rule_in_order ON rule (position, id) WHERE enabled;

-- As cluster_delta: what rules did, not yet added to their numbers.
CREATE TABLE rule_delta (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rule_id     bigint NOT NULL,
  hits        integer NOT NULL,
  failures    integer NOT NULL,
  failure     text,
  happened_at timestamptz NOT NULL,

  CONSTRAINT rule_delta_counts_not_negative CHECK (hits >= 0 AND failures >= 0),
  CONSTRAINT rule_delta_failure_length CHECK (char_length(failure) BETWEEN 1 AND 1000)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- The errors that wait for a decision, for rules that act after some time.
CREATE INDEX auth_error_undecided ON auth_error (status_changed_at, id)
  WHERE status = 'ANALYSIS_COMPLETED';
