/** The messages that hold the slots of a full queue or key. */
import type { Wait } from "../../../sdk/src/answers/message.ts";
import { idTail } from "../app/format.ts";
import { messageHref } from "./message-columns.tsx";

interface HeldByProps {
  readonly ids: readonly string[];
  readonly shownMax: number;
}

export function HeldBy({ ids, shownMax }: HeldByProps) {
  const more = ids.length - shownMax;
  return (
    <>
      {ids.slice(0, shownMax).map((id, index) => (
        <>
          {index === 0 ? "" : ", "}
          <a key={id} class="link mono" href={messageHref({ id })} title={id}>
            {idTail(id)}
          </a>
        </>
      ))}
      {more > 0 ? ` +${more}` : ""}
    </>
  );
}

/** Below the attempts of a message that waits for a slot. */
export function HeldByLine({ wait }: { readonly wait: Wait | undefined }) {
  const { heldBy = [], line } = wait ?? {};
  if (heldBy.length === 0 || line === undefined) return null;
  return (
    <div class="more">
      <span>
        {line.kind === "queue" ? "Queue" : "Key"} <code>{line.name}</code> is full. Held by{" "}
        <HeldBy ids={heldBy} shownMax={heldBy.length} />.
      </span>
    </div>
  );
}
