/** Queues and flow-control keys: their limits, what they hold back, and why. */
import { useState } from "preact/hooks";
import type { FlowControlKey, GlobalParallelism, Queue } from "../../../sdk/src/answers/line.ts";
import type { WaitingReasons } from "../../../sdk/src/answers/message.ts";
import { counted } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { useResource } from "../app/resource.ts";
import { isReadOnly } from "../app/session.ts";
import { WaitingCard } from "./waiting-card.tsx";
import { Button } from "../parts/button.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { KeysCard } from "./keys-card.tsx";
import { QueueDialog } from "./queue-dialog.tsx";
import { QueuesCard } from "./queues-card.tsx";

export function FlowScreen() {
  const queues = useResource<readonly Queue[]>("/v2/queues", 5_000);
  const keys = useResource<readonly FlowControlKey[]>("/v2/flowControl", 5_000);
  const waiting = useResource<WaitingReasons>("/v2/waiting", 10_000);
  const [isCreating, setCreating] = useState(false);
  const create = (): void => {
    if (!isReadOnly.value) setCreating(true);
  };
  useKeys({ c: create });
  const reasons = waiting.value?.reasons ?? [];
  return (
    <>
      <Bar title="Queues and keys">
        <InFlight />
        {isReadOnly.value ? null : (
          <Button kind="primary" icon="plus" shortcut="c" onPress={create}>
            New queue
          </Button>
        )}
      </Bar>
      <div class="body">
        <CommonNotices />
        <LoadProblem of={queues} what="the queues" />
        <LoadProblem of={keys} what="the keys" />
        <QueuesCard queues={queues} reasons={reasons} onCreate={create} />
        <KeysCard keys={keys} reasons={reasons} />
        <WaitingCard report={waiting.value} />
      </div>
      {isCreating ? <QueueDialog onClose={() => setCreating(false)} /> : null}
    </>
  );
}

/** Of the whole account. */
function InFlight() {
  const used = useResource<GlobalParallelism>("/v2/globalParallelism", 5_000);
  if (used.value === null) return null;
  const { parallelismCount, parallelismMax } = used.value;
  const limit = parallelismMax === 0 ? "" : ` of ${parallelismMax.toLocaleString("en-US")}`;
  return (
    <span class="muted small hide-s">
      {limit === ""
        ? `${counted(parallelismCount, "attempt")} in flight`
        : `${parallelismCount.toLocaleString("en-US")}${limit} attempts in flight for this account`}
    </span>
  );
}
