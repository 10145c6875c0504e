/** Types in a few words, and the members of objects. */
import type { ComponentChildren } from "preact";
import { type OpenApi, nameIn, resolved, type Schema } from "./document.ts";
import { schemaId } from "./contents.ts";
import { Inline } from "./marked.tsx";

/** The type of a value; a shared one is a link. */
export function TypeText({ schema }: { readonly schema: Schema }) {
  const { $ref, anyOf, enum: choices, items, type = "any" } = schema;
  if ($ref !== undefined) {
    const name = nameIn($ref);
    return (
      <a class="link" href={`#${schemaId(name)}`}>
        {name}
      </a>
    );
  }
  if (anyOf !== undefined) {
    return (
      <>
        {anyOf.map((one, index) => (
          <>
            {index === 0 ? "" : " or "}
            <TypeText schema={one} />
          </>
        ))}
      </>
    );
  }
  if (choices !== undefined) return <>{choicesText(choices)}</>;
  if ("const" in schema) return <>{JSON.stringify(schema.const)}</>;
  if (type === "array") {
    return (
      <>
        list of <TypeText schema={items ?? {}} />
      </>
    );
  }
  return <>{[type].flat().join(" or ")}</>;
}

function choicesText(choices: readonly unknown[]): string {
  if (choices.length > CHOICES_MAX) return `one of ${choices.length} words`;
  return choices.map((choice) => (choice === "" ? '""' : String(choice))).join(" | ");
}

interface MembersProps {
  readonly schema: Schema;
  readonly document: OpenApi;
}

/** The members of an object or of the objects in a list, with those of the objects inside. */
export function Members({ schema, document }: MembersProps) {
  const { properties, required = [] } = objectIn(resolved(schema, document), document) ?? {};
  if (properties === undefined) return null;
  return (
    <dl class="members">
      {Object.entries(properties).map(([name, member]) => (
        <Member
          key={name}
          name={name}
          schema={member}
          description={resolved(member, document).description ?? ""}
          isRequired={required.includes(name)}
        >
          <InnerMembers schema={member} document={document} />
        </Member>
      ))}
    </dl>
  );
}

/** How many members there are to show; 0 for what is no object. */
export function membersCount({ schema, document }: MembersProps): number {
  const found = objectIn(resolved(schema, document), document);
  return Object.keys(found?.properties ?? {}).length;
}

/** An object with a name has a page of its own. */
function InnerMembers({ schema, document }: MembersProps) {
  const inner = schema.type === "array" ? (schema.items ?? {}) : schema;
  return inner.properties === undefined ? null : <Members schema={inner} document={document} />;
}

function objectIn(schema: Schema, document: OpenApi): Schema | undefined {
  if (schema.properties !== undefined) return schema;
  const inner = schema.type === "array" ? schema.items : schema.anyOf?.[0];
  return inner === undefined ? undefined : objectIn(resolved(inner, document), document);
}

interface MemberProps {
  readonly id?: string;
  readonly name: string;
  readonly schema: Schema;
  readonly description: string;
  readonly isRequired: boolean;
  readonly children?: ComponentChildren;
}

/** One row: of an object, or a parameter. */
export function Member({ id, name, schema, description, isRequired, children }: MemberProps) {
  const words = schema.enum ?? [];
  return (
    <div id={id} tabIndex={id === undefined ? undefined : -1}>
      <dt>
        <code>{name}</code>
        <span class="muted small">
          <TypeText schema={schema} />
        </span>
        {isRequired ? <span class="tag">required</span> : null}
      </dt>
      <dd>
        <Inline text={description} />
        {words.length > CHOICES_MAX ? (
          <span class="words">
            {words.map((word) => (
              <code key={String(word)}>{String(word)}</code>
            ))}
          </span>
        ) : null}
        {children}
      </dd>
    </div>
  );
}

const CHOICES_MAX = 4;
