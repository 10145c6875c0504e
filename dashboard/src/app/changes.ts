/** Which answers an action makes old, beside those under its own path. A row is the beginning of paths. */
const MESSAGES = [
  "/v2/messages",
  "/v2/logs",
  "/v2/waiting",
  "/v2/overview",
  "/v2/queues",
  "/v2/account",
];

const CHANGES: readonly (readonly [of: string, what: readonly string[]])[] = [
  ["/v2/publish", MESSAGES],
  ["/v2/messages", MESSAGES],
  ["/v2/dlq", ["/v2/dlq", ...MESSAGES]],
  ["/v2/trigger", ["/v2/workflows", ...MESSAGES]],
  ["/v2/workflows", ["/v2/workflows", "/v2/dlq/groups", ...MESSAGES]],
  ["/v2/notify", ["/v2/workflows", ...MESSAGES]],
  ["/v2/schedules", ["/v2/schedules", ...MESSAGES]],
  ["/v2/queues", MESSAGES],
  ["/v2/flowControl", ["/v2/flowControl", "/v2/waiting"]],
  ["/v2/topics", ["/v2/topics", "/v2/account"]],
  ["/v2/keys", ["/v2/keys"]],
  ["/v2/account", ["/v2/account"]],
  ["/dev/clock", ["/dev/clock", "/v2/schedules", "/v2/workflows", "/v2/dlq", ...MESSAGES]],
  ["/v2/svc", ["/v2/svc/users", "/v2/svc/user", "/v2/svc/nodes"]],
];

/** True when an action on one path may have changed what another answers. */
export function isChangedBy(action: string, asked: string): boolean {
  return CHANGES.some(
    ([of, what]) => isUnder(of, action) && what.some((path) => isUnder(path, asked)),
  );
}

function isUnder(beginning: string, path: string): boolean {
  return path.startsWith(beginning) && /^$|[/? ]/.test(path.charAt(beginning.length));
}
