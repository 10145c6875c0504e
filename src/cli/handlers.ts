/** The file that has the code of each command, by its first word. Only the file of one command is read. */
import type { LocalHandler, LocalHandlers, StoreHandler, StoreHandlers } from "./flags.ts";
import type { Handler, Handlers } from "./invocation.ts";

type Files<Value> = Readonly<Record<string, () => Promise<{ readonly HANDLERS: Value }>>>;

const sending = () => import("./commands/sending.ts");
const messages = () => import("./commands/messages.ts");
const again = () => import("./commands/again.ts");
const login = () => import("./commands/login.ts");

const ASKING: Files<Handlers> = {
  publish: sending,
  enqueue: sending,
  batch: () => import("./commands/batch.ts"),
  trigger: () => import("./commands/trigger.ts"),
  notify: sending,
  messages,
  logs: messages,
  show: () => import("./commands/show.ts"),
  retry: again,
  cancel: again,
  runs: () => import("./commands/runs.ts"),
  dlq: () => import("./commands/dlq.ts"),
  schedules: () => import("./commands/schedules.ts"),
  queues: () => import("./commands/queues.ts"),
  groups: () => import("./commands/groups.ts"),
  clock: () => import("./commands/clock.ts"),
  export: () => import("./commands/export.ts"),
  flow: () => import("./commands/flow.ts"),
  keys: () => import("./commands/keys.ts"),
  tokens: () => import("./commands/tokens.ts"),
  status: () => import("./commands/status.ts"),
  open: () => import("./commands/open.ts"),
};

const LOCAL: Files<LocalHandlers> = {
  init: () => import("./commands/init.ts"),
  login,
  logout: login,
  reset: () => import("./commands/reset.ts"),
  replay: () => import("./commands/replay.ts"),
  simulate: () => import("./commands/simulate.ts"),
  verify: () => import("./commands/verify.ts"),
  completion: () => import("./commands/completion.ts"),
};

const ON_STORE: Files<StoreHandlers> = {
  backup: () => import("./store/backup.ts"),
  restore: () => import("./store/restore.ts"),
  move: () => import("./store/move.ts"),
  query: () => import("./store/query.ts"),
};

export function handlerOf(name: string): Promise<Handler> {
  return found(ASKING, name);
}

export function localHandlerOf(name: string): Promise<LocalHandler> {
  return found(LOCAL, name);
}

export function storeHandlerOf(name: string): Promise<StoreHandler> {
  return found(ON_STORE, name);
}

async function found<Value>(
  files: Files<Readonly<Record<string, Value>>>,
  name: string,
): Promise<Value> {
  const [first = ""] = name.split(" ");
  const handler = (await files[first]?.())?.HANDLERS[name];
  if (handler === undefined) throw new Error(`the command ${name} has no code`);
  return handler;
}
