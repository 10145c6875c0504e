import { refusal } from "../headers/header-value.ts";

/** The name of an event in a path. */
export function parseEventId(text: string): string {
  if (!isEventId(text)) {
    throw refusal(`must be 1 to ${EVENT_CHARACTERS_MAX} characters, none of them a control one`);
  }
  return text;
}

export function isEventId(text: string): boolean {
  return EVENT_ID.test(text);
}

const EVENT_CHARACTERS_MAX = 512;
// eslint-disable-next-line no-control-regex
const EVENT_ID = /^[^\u0000-\u001f\u007f]{1,512}$/u;
