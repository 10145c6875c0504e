/** For more than one thing, or what cannot be undone. It names the count and the target. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
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
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const heading = useId();
  useEffect(() => element.current?.showModal(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await props.onConfirm();
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <dialog
      ref={element}
      class={`sheet ${props.isWide === true ? "wide" : ""}`}
      aria-labelledby={heading}
      onClose={onClose}
    >
      <form class="pad stack" onSubmit={(event) => void submit(event)}>
        <h2 id={heading}>{title}</h2>
        {children}
        <Refusal problem={problem} />
        <div class="row">
          <span class="grow">{props.beside}</span>
          <button type="button" class="btn" onClick={onClose}>
            {cancel}
          </button>
          <button
            type="submit"
            class={`btn ${isDanger ? "danger" : "primary"}`}
            aria-busy={isBusy}
            disabled={isBusy}
          >
            {isBusy ? <span class="spin" aria-hidden="true" /> : null}
            {confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
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
