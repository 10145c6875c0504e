/** Errors as developers read them: with their stacks and causes. */

export interface ErrorDescription {
  readonly error: string;
  readonly message: string;
  /** In the answers to verified requests only: a stack tells how an application is built. */
  readonly stack?: string;
}

/** An error as endpoints answer it. */
export function describeError(error: unknown, withStack: boolean): ErrorDescription {
  if (error instanceof Error) {
    const { name, message } = error;
    return { error: name, message, ...(withStack && { stack: errorText(error) }) };
  }
  return { error: "Error", message: valueText(error) };
}

/** The error, its stack and its causes, of a bounded length. */
export function errorText(error: unknown): string {
  const parts: string[] = [];
  let current = error;
  while (current instanceof Error && parts.length < CAUSES_MAX) {
    parts.push(`${current.name}: ${current.message}${framesOf(current)}`);
    current = current.cause;
  }
  if (parts.length === 0) return cut(valueText(error));
  if (current !== undefined && !(current instanceof Error)) parts.push(valueText(current));
  return cut(parts.join("\nCaused by: "));
}

/** The calls alone: only some runtimes write the message before them. */
function framesOf({ stack = "", message }: Error): string {
  if (stack === "") return "";
  if (!stack.includes(message)) return `\n${stack.trimEnd()}`;
  const begin = stack.indexOf("\n", stack.indexOf(message) + message.length);
  return begin === -1 ? "" : stack.slice(begin).trimEnd();
}

/** Something that was thrown and is no error. */
function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

function cut(text: string): string {
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)} ...` : text;
}

const CAUSES_MAX = 5;
/** Small enough to be kept whole in the log of the service. */
const TEXT_LENGTH_MAX = 8_192;
