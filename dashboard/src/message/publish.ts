/** Sends messages, and makes of a message what sends it again. */
import type { Message, Published } from "../../../sdk/src/answers/message.ts";
import { call } from "../app/api.ts";
import type { Publish } from "./commands.ts";

export async function publish({ url, method, headers, body }: Publish): Promise<string> {
  const { messageId } = await call<Published>(`/v2/publish/${url}`, {
    method: "POST",
    headers: {
      ...Object.fromEntries(headers),
      ...(method === "POST" ? {} : { "Svc-Method": method }),
    },
    body,
  });
  return messageId;
}

/** The settings of a message as headers of a publish. A redacted value cannot be sent again from here. */
export function publishOf(message: Message): Publish {
  const { url, method, header, labels = [], body = "" } = message;
  const forwarded = Object.entries(header).flatMap(([name, values]) =>
    values.map((value): [string, string] =>
      /^content-type$/i.test(name) ? [name, value] : [`Svc-Forward-${name}`, value],
    ),
  );
  const settings: [string, string | undefined][] = [
    ["Svc-Retries", String(message.maxRetries)],
    ["Svc-Retry-Delay", message.retryDelayExpression],
    ["Svc-Label", labels.length === 0 ? undefined : labels.join(",")],
    ["Svc-Callback", message.callback],
    ["Svc-Failure-Callback", message.failureCallback],
    ["Svc-Method", method === "POST" ? undefined : method],
  ];
  const set = settings.filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { url, method, headers: [...forwarded, ...set], body };
}

/** True when a part of the message is hidden from readers, so that it cannot be sent from here. */
export function isRedacted({ body = "", header, bodyBase64 }: Message): boolean {
  const values = [body, ...Object.values(header).flat()];
  return bodyBase64 !== undefined || values.some((value) => value.startsWith("REDACTED:"));
}
