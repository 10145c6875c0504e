import type { Message } from "./message.ts";

/** A message as stored: encoded once, when the message is created. */
export function encodeFacts(message: Message): string {
  return JSON.stringify(message);
}

export function decodeFacts(text: string): Message {
  return JSON.parse(text) as Message;
}
