import { toUrlGroup } from "../records/rows.ts";
import { all, type Noun, one } from "./reading.ts";

const SQL = {
  get: "SELECT record FROM url_groups WHERE account_id = $1 AND name = $2",
  list: "SELECT record FROM url_groups WHERE account_id = $1 ORDER BY name",
} as const;

export const URL_GROUP_READS: Noun<"urlGroups"> = {
  sql: SQL,
  reads: {
    get: ({ accountId, name }) => one(SQL.get, [accountId, name], toUrlGroup),
    list: (accountId) => all(SQL.list, [accountId], toUrlGroup),
  },
};
