import { CodeView } from "../parts/code-view.tsx";
import { CopyButton } from "../parts/copy-button.tsx";

interface CodeCardProps {
  readonly title: string;
  readonly text: string;
  /** `command` */
  readonly what: string;
}

/** A command or an answer to copy. */
export function CodeCard({ title, text, what }: CodeCardProps) {
  return (
    <div class="card">
      <header>
        <h3>{title}</h3>
        <div class="acts">
          <CopyButton text={text} what={what} />
        </div>
      </header>
      <CodeView body={{ kind: "text", text }} label={title} fileName="example.txt" />
    </div>
  );
}

export function JsonCard({ title, value }: { readonly title: string; readonly value: unknown }) {
  return <CodeCard title={title} text={JSON.stringify(value, null, 2)} what="answer" />;
}
