-- Events that came by a webhook are kept for waits for webhooks alone.

ALTER TABLE run_events ADD COLUMN is_hook boolean NOT NULL DEFAULT false;
