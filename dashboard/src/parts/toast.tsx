/** What happened, with a way back where there is one. A failure stays until it is closed. */
import { signal } from "@preact/signals";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface ToastFacts {
  readonly sentence: string;
  readonly undo?: (() => void) | undefined;
  readonly isFailure: boolean;
}

const shown = signal<ToastFacts | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

function show(facts: ToastFacts): void {
  clearTimeout(timer);
  shown.value = facts;
  if (!facts.isFailure)
    timer = setTimeout(() => (shown.value = null), facts.undo === undefined ? 4_000 : 8_000);
}

export function announce(sentence: string, undo?: () => void): void {
  show({ sentence, undo, isFailure: false });
}

/** The sentence says what did not happen; the error, why. */
export function announceFailure(sentence: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  show({ sentence: `${sentence} ${reason}.`.replace(/\.\.$/, "."), isFailure: true });
}

export function Toasts() {
  const facts = shown.value;
  const close = (): void => {
    shown.value = null;
  };
  return (
    <div class="toasts" role="status" aria-live="polite">
      {facts === null ? null : (
        <div class={`toast ${facts.isFailure ? "failure" : ""}`}>
          <Icon name={facts.isFailure ? "alert" : "check"} />
          <span class="grow">{facts.sentence}</span>
          {facts.undo === undefined ? null : (
            <Button
              isSmall
              onPress={() => {
                facts.undo?.();
                close();
              }}
            >
              Undo
            </Button>
          )}
          {facts.isFailure ? (
            <Button isSmall kind="quiet" icon="x" label="Close" onPress={close} />
          ) : null}
        </div>
      )}
    </div>
  );
}
