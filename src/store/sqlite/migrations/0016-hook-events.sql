-- Events that came by a webhook are kept for waits for webhooks alone.

ALTER TABLE run_events ADD COLUMN is_hook INTEGER NOT NULL DEFAULT 0;
