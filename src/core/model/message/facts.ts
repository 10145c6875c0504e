import type { Message } from "./message.ts";

/** A message as it is kept: its text is made once, by whoever makes the message. */
export function encodeFacts(message: Message): string {
  return JSON.stringify(message);
}

export function decodeFacts(text: string): Message {
  return JSON.parse(text) as Message;
}
