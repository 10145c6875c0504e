import { NonRetryableError } from "./errors.ts";
import { readLoosely } from "./json.ts";
import type { ServeOptions } from "./options.ts";

/** The payload of a function, parsed from the payload text of its run. */
export async function readPayload<Payload>(
  text: string,
  { parsePayload, schema }: ServeOptions<Payload>,
): Promise<Payload> {
  const value = parsePayload ? parsePayload(text) : text === "" ? undefined : readLoosely(text);
  if (schema === undefined) return value as Payload;
  const checked = await schema["~standard"].validate(value);
  if (checked.issues === undefined) return checked.value;
  const issues = checked.issues.map(({ message }) => message).join("; ");
  throw new NonRetryableError(`the payload is not as it should be: ${issues}`);
}
