/** The facts of one thing, in one row. */
import type { ComponentChildren } from "preact";

export function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Each label leads to the list of those that have it. */
export function LabelsFact({
  labels,
  list,
}: {
  readonly labels: readonly string[];
  readonly list: "/messages" | "/runs";
}) {
  if (labels.length === 0) return null;
  return (
    <Fact name={labels.length === 1 ? "Label" : "Labels"}>
      {labels.map((label) => (
        <a key={label} class="tag" href={`${list}?label=${encodeURIComponent(label)}`}>
          {label}
        </a>
      ))}
    </Fact>
  );
}
