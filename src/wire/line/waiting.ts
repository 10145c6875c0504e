import { type Wait, WAIT_REASONS } from "../../core/model/line/waiting.ts";
import type { Message } from "../../core/model/message/message.ts";
import { shownLine } from "../../core/views/why-waiting.ts";
import {
  bare,
  choice,
  flag,
  instant,
  list,
  type Members,
  object,
  orNull,
  text,
  whole,
} from "../json/schema.ts";
import type { Json } from "../message/message.ts";

/** Why a message waits. */
export function waitJson({ reason, endsAt, line, pausedBy, heldBy }: Wait): Json {
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

export function waitingJson({ rows, isPartial }: ShownWaiting): Json {
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

const WAIT_MEMBERS: readonly [required: Members, optional: Members] = [
  {
    reason: choice(WAIT_REASONS),
    endsAt: orNull(instant("When the wait ends, if that is known.")),
  },
  {
    line: bare({ kind: choice(["queue", "key", "host"]), name: text("Its name.", "orders") }),
    pausedBy: choice(["service", "account", "queue", "key"]),
    heldBy: list(
      text("The id of a message.", "msg_01JGFJJZ00ABCDEFGHJKMNPQRS"),
      "Of a full queue or key: the messages that hold its slots, at most 10.",
    ),
  },
];

/** Why one message waits. */
export const WAIT = object("Wait", ...WAIT_MEMBERS);

const OLDEST = bare({
  messageId: text("The oldest message that waits for this."),
  url: text("Its destination.", "https://example.com/hook"),
  createdAt: instant("When it was accepted."),
});

export const WAITING = object("WaitingReasons", {
  reasons: list(
    bare(
      {
        ...WAIT_MEMBERS[0],
        count: whole("Messages that wait for this.", 12),
        isAbout: flag("There may be more.", false),
        oldest: orNull(OLDEST),
      },
      WAIT_MEMBERS[1],
    ),
  ),
  isPartial: flag("Not all lines were read.", false),
});
