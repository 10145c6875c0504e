/** A few lines to copy and run. */
import { CopyButton } from "./copy-button.tsx";

interface CodeSampleProps {
  readonly label: string;
  readonly text: string;
}

export function CodeSample({ label, text }: CodeSampleProps) {
  return (
    <figure class="sample">
      <figcaption class="row small muted">
        <span class="grow">{label}</span>
        <CopyButton text={text} what={label.toLowerCase()} />
      </figcaption>
      <pre class="code" tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </figure>
  );
}
