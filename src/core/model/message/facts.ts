import type { Message } from "./message.ts";
import { flat, nested } from "./settings.ts";

/** A message as stored: encoded once, when the message is created. */
export function encodeFacts(message: Message): string {
  return JSON.stringify(flat(message));
}

export function decodeFacts(text: string): Message {
  return nested(JSON.parse(text) as Message);
}
