/** For more than one thing, or what cannot be undone. It names the count and the target. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What the button says that will happen. */
  readonly confirm: string;
  readonly cancel?: string;
  readonly isDanger?: boolean;
  readonly isWide?: boolean;
  /** At the left of the buttons. */
  readonly beside?: ComponentChildren;
  /** The dialog closes when it is done; a refusal is shown above the buttons. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

export function Dialog(props: DialogProps) {
  const {
    title,
    children,
    confirm,
    cancel = "Keep it as it is",
    isDanger = false,
    onClose,
  } = props;
  const element = useRef<HTMLDialogElement>(null);
  const { isBusy, problem, submit } = useSubmit(props);
  const heading = useId();
  const typed = useTyped();
  const [isAsking, setAsking] = useState(false);
  // With the change that shows it: until it is open, the page below would still hear keys.
  useLayoutEffect(() => element.current?.showModal(), []);
  /** Esc, or going back on a phone: what was typed is not lost without a question. */
  const leave = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
    if (isAsking) setAsking(false);
    else if (typed.isChanged()) setAsking(true);
    else onClose();
  };
  return (
    <dialog
      ref={element}
      class={`sheet ${props.isWide === true ? "wide" : ""}`}
      aria-labelledby={heading}
      onClose={onClose}
      onCancel={leave}
      onFocusIn={typed.remember}
      onKeyDown={(event) => {
        if (event.key === "Escape") leave(event);
      }}
    >
      <form class="pad stack" onSubmit={(event) => void submit(event)}>
        <h2 id={heading}>{title}</h2>
        {children}
        <Refusal problem={problem} />
        {isAsking ? <LeaveQuestion onStay={() => setAsking(false)} onLeave={onClose} /> : null}
        <div class="row" hidden={isAsking}>
          <span class="grow">{props.beside}</span>
          <button type="button" class="btn" onClick={onClose}>
            {cancel}
          </button>
          <Confirm words={confirm} isDanger={isDanger} isBusy={isBusy} isOff={isAsking} />
        </div>
      </form>
    </dialog>
  );
}

function useSubmit({ onConfirm, onClose }: DialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return { isBusy, problem, submit };
}

interface ConfirmProps {
  readonly words: string;
  readonly isDanger: boolean;
  readonly isBusy: boolean;
  readonly isOff: boolean;
}

function Confirm({ words, isDanger, isBusy, isOff }: ConfirmProps) {
  return (
    <button
      type="submit"
      class={`btn ${isDanger ? "danger" : "primary"}`}
      aria-busy={isBusy}
      disabled={isBusy || isOff}
    >
      {isBusy ? <span class="spin" aria-hidden="true" /> : null}
      {words}
    </button>
  );
}

interface LeaveQuestionProps {
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

function LeaveQuestion({ onStay, onLeave }: LeaveQuestionProps) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <div class="row" role="alert">
      <span class="grow">Close and lose what you typed?</span>
      <button ref={stay} type="button" class="btn" onClick={onStay}>
        Keep editing
      </button>
      <button type="button" class="btn danger" onClick={onLeave}>
        Close
      </button>
    </div>
  );
}

/** Whether a field has another text than when it was first entered. */
function useTyped() {
  const before = useRef(new Map<HTMLInputElement | HTMLTextAreaElement, string>());
  return {
    remember: ({ target }: Event): void => {
      const isField = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
      if (isField && !before.current.has(target)) before.current.set(target, target.value);
    },
    isChanged: (): boolean =>
      [...before.current].some(([field, text]) => field.isConnected && field.value !== text),
  };
}

/** What the server refused, in its words. */
export function Refusal({ problem }: { readonly problem: string | null }) {
  if (problem === null) return null;
  return (
    <p class="bad row" role="alert">
      <Icon name="alert" />
      <span>{problem}</span>
    </p>
  );
}
