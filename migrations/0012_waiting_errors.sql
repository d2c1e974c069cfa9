-- migrate: outside a transaction
-- The errors that wait for their analysis, for the watchdog: those that have waited for too long are
-- found without reading the others.
CREATE INDEX CONCURRENTLY IF NOT EXISTS auth_error_waiting ON auth_error (status_changed_at)
  WHERE status IN ('NEW', 'RETRY', 'ANALYSIS_REQUESTED');
