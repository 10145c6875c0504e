/** A body: JSON made readable, text as it is, binary as its size. Nothing in it becomes markup. */
import { useMemo, useRef, useState } from "preact/hooks";
import { bytesText } from "../app/format.ts";
import type { BodyText } from "./body-text.ts";
import { Button } from "./button.tsx";
import { codeRows, type CodeRows, isJsonText, ROWS_MAX } from "./code-rows.ts";
import { Icon } from "./icon.tsx";
import { rowTokens } from "./json-tokens.ts";
import { useVisibleCode } from "./visible-code.ts";
import { visibleText } from "./visible-text.ts";

interface CodeViewProps {
  readonly body: BodyText;
  readonly isRaw?: boolean;
  /** The name of the file when it is downloaded. */
  readonly fileName: string;
  readonly label: string;
  /** The media type, by which a body that should be JSON and is not can be told. */
  readonly type?: string | undefined;
  /** The server kept its beginning alone. */
  readonly isCut?: boolean | undefined;
}

export function CodeView(props: CodeViewProps) {
  const { body, isRaw = false, fileName, label, type = "", isCut = false } = props;
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
      <p class="pad row">
        <span class="grow muted">Binary, {bytesText(body.bytes.byteLength)}</span>
        <Button isSmall onPress={() => download(body.bytes, fileName)}>
          Download
        </Button>
      </p>
    );
  }
  return <TextView text={body.text} isRaw={isRaw} label={label} type={type} isCut={isCut} />;
}

interface TextViewProps {
  readonly text: string;
  readonly isRaw: boolean;
  readonly label: string;
  readonly type: string;
  readonly isCut: boolean;
}

function TextView({ text, isRaw, label, type, isCut }: TextViewProps) {
  const rows = useMemo(() => codeRows(text, isRaw), [text, isRaw]);
  const note = useMemo(() => noteOf(rows, { isRaw, type, isCut }), [rows, isRaw, type, isCut]);
  const element = useRef<HTMLPreElement>(null);
  const { start, end, beforePx, afterPx, look } = useVisibleCode(element, rows.count);
  const [isWrapped, setWrapped] = useState(false);
  // Rows of which only some are in the document have one height.
  const canWrap = end - start === rows.count && hasLongRow(text);
  const classes = isWrapped && canWrap ? "code wrapped" : "code";
  return (
    <>
      {canWrap ? (
        <div class="more">
          <span>Some lines are long.</span>
          <Button isSmall kind="quiet" isPressed={isWrapped} onPress={() => setWrapped(!isWrapped)}>
            Wrap lines
          </Button>
        </div>
      ) : null}
      <pre ref={element} class={classes} tabIndex={0} aria-label={label} onScroll={look}>
        <Spacer height={beforePx} />
        {Array.from({ length: end - start }, (_, index) => (
          <Row key={start + index} rows={rows} row={start + index} />
        ))}
        <Spacer height={afterPx} />
      </pre>
      {note === null ? null : <div class="more">{note}</div>}
    </>
  );
}

function hasLongRow(text: string): boolean {
  return text.length > LONG_ROW && /[^\n]{120}/.test(text);
}

const LONG_ROW = 120;

function Row({ rows, row }: { readonly rows: CodeRows; readonly row: number }) {
  return (
    <>
      {rowTokens(rows, row).map(({ kind, text }, index) =>
        kind === "" ? (
          visibleText(text)
        ) : (
          <span key={index} class={kind}>
            {visibleText(text)}
          </span>
        ),
      )}
      {row + 1 < rows.count ? "\n" : null}
    </>
  );
}

function Spacer({ height }: { readonly height: number }) {
  return height === 0 ? null : <svg class="gap" width="1" height={height} aria-hidden="true" />;
}

/** Why the text is not shown as one would expect. */
function noteOf(
  rows: CodeRows,
  { isRaw, type, isCut }: Pick<TextViewProps, "isRaw" | "type" | "isCut">,
): string | null {
  if (rows.count > ROWS_MAX) return "Too many lines to show. Copy has all of them.";
  if (isRaw || rows.isJson || !/\bjson\b/.test(type)) return null;
  if (isCut) return "Only its beginning is kept, shown as text";
  return isJsonText(rows.text)
    ? "Too many members to lay out, shown as it was sent"
    : "Not JSON, shown as text";
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
