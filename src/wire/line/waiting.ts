import type { Wait } from "../../core/model/line/waiting.ts";
import type { Message } from "../../core/model/message/message.ts";
import { shownLine } from "../../core/views/why-waiting.ts";
import type { Json } from "../message/message.ts";

/** Why a message waits. */
export function waitJson({ reason, endsAt, line, pausedBy }: Wait): Json {
  return { reason, endsAt, line: line === null ? undefined : shownLine(line), pausedBy };
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
