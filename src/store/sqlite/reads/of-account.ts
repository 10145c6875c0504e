/** Finds an account's rows by log_entries_account; `?1` is its id. */
export const OF_ACCOUNT = "substr(account_id, -8) = substr(?1, -8) AND account_id = ?1";
