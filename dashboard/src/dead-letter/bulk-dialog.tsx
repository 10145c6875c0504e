/** Says what will happen and to how many, before it does. */
import { useEffect, useState } from "preact/hooks";
import { withQuery } from "../app/api.ts";
import { counted } from "../app/format.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SpreadField } from "../parts/spread-field.tsx";
import { copyCurl, type Command } from "../workflow/run-commands.ts";
import { type BulkOrder, bulkPath, methodOf } from "./bulk-job.ts";
import type { Batch } from "./dead-groups.ts";
import type { DeadAction, DeadKind } from "./dead-letter.ts";
import { countMatching } from "./dead-list.ts";
import { type Chosen, countOf, isAbout } from "./dead-selection.ts";

interface BulkDialogProps {
  readonly action: DeadAction;
  readonly chosen: Chosen;
  readonly onClose: () => void;
  readonly onConfirm: (order: BulkOrder) => void;
}

export function BulkDialog({ action, chosen: given, onClose, onConfirm }: BulkDialogProps) {
  const [over, setOver] = useState("");
  const exact = useExactCounts(given);
  const chosen = exact ?? given;
  const kinds = kindsOf(action).filter((kind) => countOf(chosen, kind) > 0);
  const total = kinds.reduce((sum, kind) => sum + countOf(chosen, kind), 0);
  const things = thingsText(kinds, total);
  const order: BulkOrder = { action, kinds, chosen, total, over: over === "" ? null : over };
  const commands = commandsOf(order);
  const atLeast = isAbout(chosen) ? "at least " : "";
  return (
    <Dialog
      title={`${VERBS[action]} ${atLeast}${things}?`}
      confirm={`${VERBS[action]} ${things}`}
      isDanger={action === "delete"}
      onConfirm={() => {
        onConfirm(order);
        return Promise.resolve();
      }}
      onClose={onClose}
    >
      <p class="soft">{effectText(action, total)}</p>
      {action === "delete" || total < 2 ? null : <SpreadField value={over} onInput={setOver} />}
      {commands.length === 1 ? (
        <div>
          <Button isSmall kind="quiet" icon="copy" onPress={() => void copyCurl(commands[0]!)}>
            Copy as curl
          </Button>
        </div>
      ) : null}
    </Dialog>
  );
}

/** Groups are counted among the newest dead letters: where there may be more, the server counts all. */
function useExactCounts(given: Chosen): Chosen | null {
  const [exact, setExact] = useState<Chosen | null>(null);
  useEffect(() => {
    let isGone = false;
    const count = async (): Promise<void> => {
      const batches = new Map<string, Batch>();
      for (const [key, batch] of given.batches) {
        const found = batch.isAtLeast ? await countMatching(batch.kind, batch.query) : {};
        batches.set(key, { ...batch, ...found });
      }
      if (!isGone) setExact({ ...given, batches });
    };
    // Without a count the dialog says what is known.
    if (isAbout(given)) count().catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [given]);
  return exact;
}

export function kindsOf(action: DeadAction): readonly DeadKind[] {
  if (action === "delete") return ["messages", "runs"];
  return action === "retry" ? ["messages"] : ["runs"];
}

/** `3 messages`, `4 runs`, `7 dead letters` */
export function thingsText(kinds: readonly DeadKind[], count: number): string {
  if (kinds.length !== 1) return counted(count, "dead letter");
  return counted(count, kinds[0] === "messages" ? "message" : "run");
}

function effectText(action: DeadAction, count: number): string {
  const isOne = count === 1;
  switch (action) {
    case "retry":
      return isOne
        ? "It becomes a new message and leaves the dead letters."
        : "They become new messages and leave the dead letters. You can stop on the way.";
    case "resume":
      return isOne
        ? "It becomes a new run that keeps its finished steps."
        : "They become new runs that keep their finished steps. You can stop on the way.";
    case "restart":
      return isOne
        ? "It becomes a new run from the first step."
        : "They become new runs from the first step. You can stop on the way.";
    case "delete":
      return isOne ? "It cannot be brought back." : "They cannot be brought back.";
  }
}

/** The requests that do the same; more than one cannot be copied as a command. */
function commandsOf({ action, kinds, chosen, over }: BulkOrder): Command[] {
  return kinds.flatMap((kind): Command[] => {
    const path = bulkPath(action, kind);
    const method = methodOf(action);
    const batches = [...chosen.batches.values()].filter((batch) => batch.kind === kind);
    const ids = [...chosen.letters].filter(([, each]) => each === kind).map(([id]) => id);
    const spread = action === "delete" ? null : over;
    const body = JSON.stringify({ dlqIds: ids });
    return [
      ...batches.map(({ query }) => ({
        method,
        path: withQuery(path, { ...query, over: spread }),
      })),
      ...(ids.length === 0 ? [] : [{ method, path: withQuery(path, { over: spread }), body }]),
    ];
  });
}

export const VERBS: Readonly<Record<DeadAction, string>> = {
  retry: "Retry",
  resume: "Resume",
  restart: "Restart",
  delete: "Delete",
};
