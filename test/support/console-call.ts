/** Calls to the console interface, as the operator of `dev` unless told otherwise. */
import { AccountCalls } from "./account-calls.ts";
import { requireDocumented } from "./documented-answers.ts";
import { call, type CallAnswer, type CallOptions } from "./http-call.ts";

export interface ConsoleOptions extends CallOptions {
  readonly as?: readonly [user: string, password: string];
  readonly send?: unknown;
}

export const ADMIN = ["admin", "postrider"] as const;

export function basic([user, password]: readonly [string, string]): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

export async function callConsole(
  url: string,
  method: string,
  path: string,
  { as = ADMIN, send, ...options }: ConsoleOptions = {},
): Promise<CallAnswer> {
  const body = send === undefined ? {} : { body: JSON.stringify(send) };
  const headers = { Authorization: basic(as), ...options.headers };
  const answer = await call(url, method, path, { ...body, ...options, headers });
  requireDocumented(method, path, answer);
  return answer;
}

/** Creates an account of its own for one test; answers its record with its secrets. */
export async function freshAccount(
  url: string,
  fields: Readonly<Record<string, unknown>> = {},
  as: ConsoleOptions["as"] = ADMIN,
): Promise<FreshAccount> {
  const customer_id = `customer-${++drawn}@example.com`;
  const send = { customer_id, plan_name: "paid", ...fields };
  const answer = await callConsole(url, "POST", "/v2/svc/user", { send, as });
  if (answer.status !== 201) throw new Error(`create: ${answer.status} ${answer.text}`);
  return new FreshAccount(url, answer.json as Record<string, string>);
}

export class FreshAccount extends AccountCalls {
  readonly record: Readonly<Record<string, unknown>>;
  readonly id: string;
  readonly as: readonly [user: string, password: string];

  constructor(url: string, record: Readonly<Record<string, string>>) {
    super(url, record["token"]!);
    this.record = record;
    this.id = record["id"]!;
    this.as = [record["customer_id"]!, record["password"]!];
  }
}

let drawn = 0;
