-- What each account did on each day. There is one writer, so that its column says nothing here.
CREATE TABLE daily_counts (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL, -- since the beginning of 1970, UTC
  writer TEXT NOT NULL,
  messages INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, writer)
) STRICT, WITHOUT ROWID;
CREATE INDEX daily_counts_age ON daily_counts (day);
