-- How far the re-analysis has come, so that a restart does not look through all errors again. One row.
CREATE TABLE reanalysis_mark (
  one_row       boolean PRIMARY KEY,
  -- The errors up to this one have been looked at.
  placed_up_to  bigint NOT NULL,
  -- Of the routes older than this version, those up to the hash have been emptied; null: all of them.
  version       smallint NOT NULL,
  emptied_up_to text,
  -- Errors that were analysed since then have joined clusters that rules with an age are for.
  rules_from    timestamptz,

  CONSTRAINT reanalysis_mark_one_row CHECK (one_row)
);
INSERT INTO reanalysis_mark (one_row, placed_up_to, version, emptied_up_to) VALUES (true, 0, 0, '');
