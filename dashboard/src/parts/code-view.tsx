/** A body: JSON made readable, text as it is, binary as its size. Nothing in it becomes markup. */
import { useMemo, useState } from "preact/hooks";
import { bytesText } from "../app/format.ts";
import type { BodyText } from "./body-text.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { jsonTokens, prettyJson } from "./json-tokens.ts";

interface CodeViewProps {
  readonly body: BodyText;
  readonly isRaw?: boolean;
  /** The name of the file when it is downloaded. */
  readonly fileName: string;
  readonly label: string;
  /** The media type, by which a body that should be JSON and is not can be told. */
  readonly type?: string | undefined;
}

export function CodeView({ body, isRaw = false, fileName, label, type = "" }: CodeViewProps) {
  const [isWhole, setWhole] = useState(false);
  if (body.kind === "empty") return <p class="code muted">No body</p>;
  if (body.kind === "redacted") {
    return (
      <p class="code row">
        <Icon name="lock" />
        <span class="cut muted">redacted, sha256 {body.hash.slice(0, 8)}…</span>
      </p>
    );
  }
  if (body.kind === "binary") {
    return (
      <p class="code row">
        <span class="grow muted">Binary, {bytesText(body.bytes.byteLength)}</span>
        <Button isSmall onPress={() => download(body.bytes, fileName)}>
          Download
        </Button>
      </p>
    );
  }
  const isCut = !isWhole && body.text.length > SHOWN_MAX;
  const shown = isCut ? body.text.slice(0, SHOWN_MAX) : body.text;
  return (
    <>
      <pre class="code" tabIndex={0} aria-label={label}>
        <Text text={shown} isRaw={isRaw || isCut || body.text.length > PRETTY_MAX} />
      </pre>
      {isCut ? (
        <div class="more">
          <span>The first 64 kB of {bytesText(body.text.length)}</span>
          <Button isSmall onPress={() => setWhole(true)}>
            Show all
          </Button>
        </div>
      ) : null}
      {!isRaw && /\bjson\b/.test(type) && prettyJson(body.text) === null && !isCut ? (
        <div class="more">Not JSON, shown as text</div>
      ) : null}
    </>
  );
}

function Text({ text, isRaw }: { readonly text: string; readonly isRaw: boolean }) {
  const tokens = useMemo(() => {
    const pretty = isRaw ? null : prettyJson(text);
    return pretty === null ? null : jsonTokens(pretty);
  }, [text, isRaw]);
  if (tokens === null) return <>{text}</>;
  return (
    <>
      {tokens.map(({ kind, text: part }, index) =>
        kind === "" ? (
          part
        ) : (
          <span key={index} class={kind}>
            {part}
          </span>
        ),
      )}
    </>
  );
}

function download(bytes: Uint8Array<ArrayBuffer>, fileName: string): void {
  const url = URL.createObjectURL(new Blob([bytes]));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

export function CodeSkeleton() {
  return (
    <div class="code stack" aria-busy="true" aria-label="Loading">
      {["62%", "84%", "48%", "70%"].map((width) => (
        <svg key={width} class="skel" width={width} aria-hidden="true" />
      ))}
    </div>
  );
}

const SHOWN_MAX = 64 * 1024;
const PRETTY_MAX = 1024 * 1024;
