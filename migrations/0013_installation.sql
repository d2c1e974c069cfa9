-- Which installation this database is. Its messages say so, and those of another one that shares the
-- broker's queues by mistake are told apart by it. A clone of the database must get an id of its own:
-- auth-errors installation renew. One row.
CREATE TABLE installation (
  one_row    boolean PRIMARY KEY,
  id         uuid NOT NULL,
  created_at timestamptz NOT NULL,

  CONSTRAINT installation_one_row CHECK (one_row)
);
INSERT INTO installation (one_row, id, created_at) VALUES (true, gen_random_uuid(), now());
