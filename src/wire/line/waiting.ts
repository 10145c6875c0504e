import { type Wait, WAIT_REASONS } from "../../core/model/line/waiting.ts";
import type { Message } from "../../core/model/message/message.ts";
import { shownLine } from "../../core/views/why-waiting.ts";
import {
  inlineObject,
  choice,
  flag,
  instant,
  list,
  object,
  orNull,
  text,
  type TypeOf,
  integer,
} from "../json/schema.ts";

export function waitJson({ reason, endsAt, line, pausedBy, heldBy }: Wait): TypeOf<typeof WAIT> {
  return { reason, endsAt, line: line === null ? undefined : shownLine(line), pausedBy, heldBy };
}

interface ShownWaiting {
  readonly rows: readonly (Wait & {
    readonly count: number;
    readonly isAbout: boolean;
    readonly oldest: Message | null;
  })[];
  readonly isPartial: boolean;
}

export function waitingJson({ rows, isPartial }: ShownWaiting): TypeOf<typeof WAITING> {
  return {
    reasons: rows.map(({ count, isAbout, oldest, ...wait }) => ({
      ...waitJson(wait),
      count,
      isAbout,
      oldest: oldest && {
        messageId: oldest.messageId,
        url: oldest.url,
        createdAt: oldest.createdAt,
      },
    })),
    isPartial,
  };
}

const WAIT_MEMBERS = [
  {
    reason: choice(WAIT_REASONS),
    endsAt: orNull(instant("When the wait ends, if that is known.")),
  },
  {
    line: inlineObject({
      kind: choice(["queue", "key", "host"]),
      name: text("Its name.", "orders"),
    }),
    pausedBy: choice(["service", "account", "queue", "key"]),
    heldBy: list(
      text("The id of a message.", "msg_01JGFJJZ00ABCDEFGHJKMNPQRS"),
      "Of a full queue or key: the messages that hold its slots, at most 10.",
    ),
  },
] as const;

export const WAIT = object("Wait", ...WAIT_MEMBERS);

const OLDEST = inlineObject({
  messageId: text("The oldest message that waits for this."),
  url: text("Its destination.", "https://example.com/hook"),
  createdAt: instant("When it was accepted."),
});

export const WAITING = object("WaitingReasons", {
  reasons: list(
    object(
      "WaitingRow",
      {
        ...WAIT_MEMBERS[0],
        count: integer("Messages that wait for this.", 12),
        isAbout: flag("There may be more.", false),
        oldest: orNull(OLDEST),
      },
      WAIT_MEMBERS[1],
    ),
  ),
  isPartial: flag("Not all lines were read.", false),
});
