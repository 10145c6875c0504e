/** The list of keys, behind `?`. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../parts/button.tsx";

const KEYS: readonly { readonly keys: readonly string[]; readonly says: string }[] = [
  { keys: ["j", "k"], says: "next, previous row" },
  { keys: ["Enter"], says: "open" },
  { keys: ["Esc"], says: "back, close" },
  { keys: ["/"], says: "filter" },
  { keys: ["x"], says: "select row; with Shift up to here" },
  { keys: ["r"], says: "send again, retry" },
  { keys: ["e"], says: "edit and send" },
  { keys: ["c"], says: "create; on a page copy as curl" },
  { keys: ["Space"], says: "pause or resume the tail" },
  { keys: ["."], says: "show new rows" },
  { keys: ["[", "]"], says: "previous, next attempt" },
  { keys: ["z"], says: "time scale" },
  {
    keys: ["g", "m"],
    says: "go to Messages; g o overview, g r runs, g d dead letters, g s schedules, g f flow, g u groups",
  },
  { keys: ["t"], says: "theme" },
  { keys: ["?"], says: "this list" },
];

export function KeysSheet({ onClose }: { readonly onClose: () => void }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} class="sheet" aria-labelledby="keys-title" onClose={onClose}>
      <div class="pad stack">
        <h2 id="keys-title">Keys</h2>
        <dl class="keys small">
          {KEYS.map(({ keys, says }) => (
            <>
              <dt>
                {keys.map((key) => (
                  <>
                    <kbd>{key}</kbd>{" "}
                  </>
                ))}
              </dt>
              <dd class="soft">{says}</dd>
            </>
          ))}
        </dl>
        <div class="row">
          <span class="grow muted small">They can be turned off in Settings.</span>
          <Button onPress={onClose}>Close</Button>
        </div>
      </div>
    </dialog>
  );
}
