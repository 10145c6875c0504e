import { bytesFromBase64, textFromBase64 } from "../../base64.ts";
import { drawId } from "../../runtime.ts";
import { segment, type Transport } from "../../transport.ts";
import { NonRetryableError } from "../errors.ts";
import { readJson } from "../json.ts";
import type { Step } from "../step.ts";
import { openWait, timeoutText, type WaitOptions } from "./wait.ts";

/** A URL that every caller who knows it may call; a call resumes the run. */
export interface Webhook {
  readonly webhookUrl: string;
  readonly eventId: string;
}

export type WebhookResult =
  | { readonly timeout: false; readonly request: Request }
  | { readonly timeout: true; readonly request: undefined };

export function createWebhookStep(name: string): Step<Webhook> {
  return {
    name,
    type: "CreateWebhook",
    perform: async ({ transport, run }) => {
      // The secret of the URL: every caller who knows it may call the webhook.
      const eventId = `evt_${drawId(15)}`;
      const parts = [accountOf(transport), run.runId, eventId].map(segment);
      const webhookUrl = `${transport.baseUrl}/v2/workflows/hooks/${parts.join("/")}`;
      return { out: JSON.stringify({ webhookUrl, eventId }) };
    },
    read: ({ out }) => readJson(out) as Webhook,
  };
}

export function waitForWebhookStep(
  name: string,
  { eventId }: Webhook,
  options: WaitOptions = {},
): Step<WebhookResult> {
  const timeout = timeoutText(options);
  return {
    name,
    type: "WaitForWebhook",
    fields: { waitEventId: eventId, timeout },
    open: (record, submission) => openWait(record, { eventId, timeout }, submission),
    read: ({ out }) => {
      if (!out) return { timeout: true, request: undefined };
      return { timeout: false, request: requestOf(JSON.parse(textFromBase64(out)) as HookCall) };
    },
  };
}

interface HookCall {
  readonly method: string;
  readonly header: Readonly<Record<string, readonly string[]>>;
  /** Base64. */
  readonly body?: string;
  readonly proto: string;
  readonly host: string;
  readonly url: string;
}

function requestOf({ method, header, body, proto, host, url }: HookCall): Request {
  const headers = new Headers();
  for (const [key, values] of Object.entries(header ?? {})) {
    for (const value of values) headers.append(key, value);
  }
  const hasBody = body && method !== "GET" && method !== "HEAD";
  return new Request(`${proto}://${host}${url}`, {
    method,
    headers,
    ...(hasBody && { body: bytesFromBase64(body) }),
  });
}

/** The account id in a token. */
function accountOf({ token }: Transport): string {
  try {
    const { UserID } = JSON.parse(atob(token)) as { UserID?: unknown };
    if (typeof UserID === "string" && UserID !== "") return UserID;
  } catch {
    // Reported below.
  }
  throw new NonRetryableError("a webhook needs a token that names its account");
}
