/** Sends messages, and makes of a message what sends it again. */
import type { Message, Published } from "../../../sdk/src/answers/message.ts";
import { call } from "../app/api.ts";
import { bodyOfBase64 } from "../parts/body-text.ts";
import { type Publish, publishPath } from "./commands.ts";

export async function publish(sent: Publish): Promise<string> {
  const { method, headers, body, bytes } = sent;
  const { messageId } = await call<Published>(publishPath(sent), {
    method: "POST",
    headers: {
      ...Object.fromEntries(headers),
      ...(method === "POST" || hasMethod(headers) ? {} : { "Svc-Method": method }),
    },
    body: bytes ?? body,
  });
  return messageId;
}

function hasMethod(headers: Publish["headers"]): boolean {
  return headers.some(([name]) => /^(svc|upstash)-method$/i.test(name));
}

/**
 * The prefix by which a message was published, and its receiver knows it. Null where it named none: then it had no
 * settings, and arrives with the headers of both.
 */
export function prefixOf({ addedHeader = {} }: Pick<Message, "addedHeader">): string | null {
  const found = ["Svc-", "Upstash-"].filter((prefix) => `${prefix}Message-Id` in addedHeader);
  return found.length === 2 ? null : (found[0] ?? "Svc-");
}

/** The settings of a message as headers of a publish. A redacted value cannot be sent again from here. */
export function publishOf(message: Message): Publish {
  const { url, method, header, labels = [], body = "", queueName } = message;
  const named = prefixOf(message);
  const prefix = named ?? "Svc-";
  const forwarded = Object.entries(header).flatMap(([name, values]) =>
    values.map((value): [string, string] =>
      /^content-type$/i.test(name) ? [name, value] : [`${prefix}Forward-${name}`, value],
    ),
  );
  const settings: [string, string | undefined][] = [
    ["Retries", named === null ? undefined : String(message.maxRetries)],
    ["Retry-Delay", message.retryDelayExpression],
    ["Timeout", named === null ? undefined : `${message.timeout}s`],
    ["Label", labels.length === 0 ? undefined : labels.join(",")],
    ["Callback", message.callback],
    ["Failure-Callback", message.failureCallback],
    ["Flow-Control-Key", message.flowControlKey],
    ["Flow-Control-Value", limitsOf(message)],
    ["Method", method === "POST" ? undefined : method],
  ];
  const set = settings.flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[`${prefix}${name}`, value]],
  );
  const sent = bodyOfBase64(message.bodyBase64);
  const bytes = sent.kind === "binary" ? sent.bytes : undefined;
  return { url, queue: queueName, method, headers: [...forwarded, ...set], body, bytes };
}

/** `parallelism=2, rate=10, period=60s`; undefined when the message set none. */
function limitsOf({ parallelism, rate, period }: Message): string | undefined {
  const limits = [
    ...(parallelism === undefined ? [] : [`parallelism=${parallelism}`]),
    ...(rate === undefined ? [] : [`rate=${rate}`]),
    ...(rate === undefined || period === undefined ? [] : [`period=${period}s`]),
  ];
  return limits.length === 0 ? undefined : limits.join(", ");
}

/** True when a part of the message is hidden from readers, so that it cannot be sent from here. */
export function isRedacted({ body = "", header }: Message): boolean {
  const values = [body, ...Object.values(header).flat()];
  return values.some((value) => value.startsWith("REDACTED:"));
}
