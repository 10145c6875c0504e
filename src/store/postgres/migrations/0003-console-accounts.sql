-- Accounts that people sign in to, whose deliveries can be halted, and what the service itself keeps.

ALTER TABLE accounts ADD COLUMN customer_id text COLLATE "C";
ALTER TABLE accounts ADD COLUMN halted boolean NOT NULL DEFAULT false;
ALTER TABLE accounts ADD COLUMN previous_token_hash text COLLATE "C";
ALTER TABLE accounts ADD COLUMN previous_read_only_token_hash text COLLATE "C";
UPDATE accounts SET customer_id = account_id;
CREATE UNIQUE INDEX accounts_customer ON accounts (customer_id);
CREATE INDEX accounts_previous_token ON accounts (previous_token_hash)
  WHERE previous_token_hash IS NOT NULL;
CREATE INDEX accounts_previous_read_only_token ON accounts (previous_read_only_token_hash)
  WHERE previous_read_only_token_hash IS NOT NULL;

CREATE TABLE service (
  one integer PRIMARY KEY CHECK (one = 1),
  record text NOT NULL
);
INSERT INTO service (one, record) VALUES (1, '{"operator":null,"isPaused":false}');
