/** The few marks of Markdown that the document uses: paragraphs, lists, code and bold. */
export function Marked({ text }: { readonly text: string }) {
  return (
    <div class="prose">
      {text.split("\n\n").map((block) =>
        block.startsWith("- ") ? (
          <ul key={block}>
            {block.split("\n").map((line) => (
              <li key={line}>
                <Inline text={line.slice(2)} />
              </li>
            ))}
          </ul>
        ) : (
          <p key={block}>
            <Inline text={block} />
          </p>
        ),
      )}
    </div>
  );
}

export function Inline({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
        if (part.startsWith("`")) return <code>{part.slice(1, -1)}</code>;
        return part.startsWith("**") ? <b>{part.slice(2, -2)}</b> : part;
      })}
    </>
  );
}
