/** Fixes the limits of a key, or lets messages set them again. */
import { useState } from "preact/hooks";
import type { FlowControlKey } from "../../../sdk/src/answers/line.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { type Option, SelectField, TextField } from "../parts/field.tsx";
import { announce, announceFailure } from "../app/announce.ts";
import { periodText, pin, type Pins, unpin } from "./line.ts";

interface PinDialogProps {
  readonly flowKey: FlowControlKey;
  readonly onClose: () => void;
}

export function PinDialog({ flowKey, onClose }: PinDialogProps) {
  const { flowControlKey: name, parallelismMax, rateMax, ratePeriod } = flowKey;
  const { isPinnedParallelism, isPinnedRate } = flowKey;
  const [parallelism, setParallelism] = useState(isPinnedParallelism ? String(parallelismMax) : "");
  const [rate, setRate] = useState(isPinnedRate ? String(rateMax) : "");
  const [period, setPeriod] = useState(String(rateMax > 0 ? ratePeriod : 60));
  const save = async (): Promise<void> => {
    const changed = await pinGiven(name, { parallelism, rate, period });
    announce(`The limits of ${name} are pinned.`, () => void restore(flowKey, changed));
  };
  const isPinned = isPinnedParallelism || isPinnedRate;
  const periods = periodsWith(Number(period));
  const release = (): void => {
    onClose();
    void unpinAll(flowKey);
  };
  return (
    <Dialog
      title={`Pin limits of ${name}`}
      confirm="Pin"
      cancel="Close"
      onConfirm={save}
      onClose={onClose}
      beside={
        isPinned ? (
          <Button isSmall kind="quiet" icon="pin" onPress={release}>
            Unpin
          </Button>
        ) : undefined
      }
    >
      <div class="cols c3 pins">
        <TextField
          name="At once"
          value={parallelism}
          least={1}
          isOptional
          hint={hintOf(parallelismMax, isPinnedParallelism)}
          onInput={setParallelism}
        />
        <TextField
          name="Starts"
          value={rate}
          least={1}
          isOptional
          hint={hintOf(rateMax, isPinnedRate, periodText(ratePeriod))}
          onInput={setRate}
        />
        <SelectField name="Per" value={period} options={periods} onInput={setPeriod} />
      </div>
      <p class="hint">
        Messages cannot change a pinned limit until you unpin it. An empty field stays as it is.
      </p>
    </Dialog>
  );
}

interface GivenTexts {
  readonly parallelism: string;
  readonly rate: string;
  readonly period: string;
}

async function pinGiven(name: string, given: GivenTexts): Promise<LimitName[]> {
  const pins: Pins = {
    parallelism: numberOf(given.parallelism),
    rate: numberOf(given.rate),
    period: Number(given.period),
  };
  if (pins.parallelism === null && pins.rate === null)
    throw new Error("Give a limit for at once, for starts, or for both.");
  await pin(name, pins);
  return (["parallelism", "rate"] as const).filter((limit) => pins[limit] !== null);
}

function numberOf(text: string): number | null {
  return text === "" ? null : Number(text);
}

function hintOf(max: number, isPinned: boolean, period = ""): string {
  const by = isPinned ? "pinned" : "set by the newest message";
  return max === 0 ? "no limit now" : `now ${max} ${period}`.trim() + `, ${by}`;
}

type LimitName = "parallelism" | "rate";

/** The limits that were changed get their values back; those that were not pinned are free again. */
async function restore(before: FlowControlKey, changed: readonly LimitName[]): Promise<void> {
  const { flowControlKey: name, isPinnedParallelism, isPinnedRate } = before;
  const pins = {
    parallelism: changed.includes("parallelism") ? before.parallelismMax || null : null,
    rate: changed.includes("rate") ? before.rateMax || null : null,
    period: before.ratePeriod,
  };
  const free = changed.filter((limit) => (limit === "rate" ? !isPinnedRate : !isPinnedParallelism));
  try {
    if (pins.parallelism !== null || pins.rate !== null) await pin(name, pins);
    if (free.length > 0) await unpin(name, free);
  } catch (error) {
    announceFailure(`The limits of ${name} were not set back.`, error);
  }
}

async function unpinAll(before: FlowControlKey): Promise<void> {
  const { flowControlKey: name } = before;
  try {
    await unpin(name, ["parallelism", "rate"]);
    const changed: LimitName[] = [
      ...(before.isPinnedParallelism ? (["parallelism"] as const) : []),
      ...(before.isPinnedRate ? (["rate"] as const) : []),
    ];
    announce(`Messages set the limits of ${name} again.`, () => void restore(before, changed));
  } catch (error) {
    announceFailure(`The limits of ${name} were not unpinned.`, error);
  }
}

function periodsWith(own: number): Option[] {
  const periods = new Set([1, 10, 60, 300, 3_600, 86_400, own]);
  return [...periods]
    .toSorted((one, other) => one - other)
    .map((seconds) => ({
      value: String(seconds),
      words: periodText(seconds).slice("per ".length),
    }));
}
