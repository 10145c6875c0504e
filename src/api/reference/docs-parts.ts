import { PROBLEMS } from "../../core/problem.ts";
import { HEADER_FAMILIES } from "../../wire/headers/header.ts";
import type { OpenApi, Parameter } from "./document.ts";
import { headerId } from "./docs-operation.ts";
import { code, field, fields, isRequired, jsonCode, typeOf } from "./docs-schema.ts";
import { exampleOf } from "./examples.ts";
import { type Html, html, inline } from "./html.ts";

/** The parts of the reference that belong to no endpoint. */

export function introduction(document: OpenApi): Html {
  const { info } = document;
  return html`<section class="intro" id="introduction">
    <div class="op">
      <header class="op-head">
        <h1>API reference</h1>
        <p class="lead">
          ${String(info["summary"])} <span class="tag">version ${info.version}</span>
        </p>
      </header>
      <div class="op-text prose">
        <p>
          All paths are relative to the address of your server. Send JSON in UTF-8. Times are unix
          milliseconds unless a field says otherwise.
        </p>
        <p>
          An answer of 2xx to a publish means that the message is stored durably. It is then sent at
          least once.
        </p>
        <p>
          Programs read <a href="/openapi.json">this API as OpenAPI 3.1</a>. Lists come in pages:
          send the <code>cursor</code> of an answer to get the next page.
        </p>
      </div>
      <div class="op-code">
        ${code(
          "Your shell",
          'export POSTRIDER_URL="https://postrider.example.com"\nexport POSTRIDER_TOKEN="..."\n\ncurl "$POSTRIDER_URL/healthz"',
        )}
      </div>
    </div>
    <div class="op" id="authentication">
      <header class="op-head"><h2>Authentication</h2></header>
      <div class="op-text prose">
        <p>
          <strong>token</strong>: send the token of your account as a Bearer token. A read-only
          token may read and not write.
        </p>
        <p>
          <strong>Basic auth</strong>: the console takes the name and password of the operator, or
          the <code>customer_id</code> and password of an account, which sees only its own data.
        </p>
        <p><strong>no token</strong>: the server answers every caller.</p>
      </div>
      <div class="op-code">
        ${code("Token", 'curl "$POSTRIDER_URL/v2/account" \\\n  -H "Authorization: Bearer $POSTRIDER_TOKEN"')}
        ${code("Basic auth", 'curl "$POSTRIDER_URL/v2/svc/users" \\\n  -u "admin:$POSTRIDER_ADMIN_PASSWORD"')}
      </div>
    </div>
  </section>`;
}

export function headersPart(document: OpenApi): Html {
  const rows = Object.values(document.components.parameters).map((one) => headerRow(one, document));
  const families = HEADER_FAMILIES.map(
    ({ name, says }) =>
      html`<div class="field">
        <dt><code>Svc-${name}</code></dt>
        <dd>${inline(says)}</dd>
      </div>`,
  );
  return html`<section class="feature" id="headers">
    <header class="feature-head">
      <h2>Headers</h2>
      <p>
        Headers that set how a message is sent. Each may have the prefix <code>Svc-</code> or
        <code>Upstash-</code>, one prefix in a request. You can send them as query parameters too,
        in lower case: <code>svc-retries=3</code>.
      </p>
    </header>
    <dl class="fields wide">${rows} ${families}</dl>
  </section>`;
}

function headerRow({ name, description, required, schema }: Parameter, document: OpenApi): Html {
  return html`<div class="field" id="${headerId(name)}">
    <dt>
      <code>${name}</code> <span class="type">${typeOf(schema, document)}</span>
      ${required === true ? html`<span class="needed">required</span>` : null}
    </dt>
    <dd>${inline(description)}</dd>
  </div>`;
}

export function refusalsPart(): Html {
  const seen = new Set<number>();
  const rows = Object.entries(PROBLEMS)
    .toSorted(([, one], [, other]) => one.status - other.status)
    .map(([name, row]) => {
      const id = seen.has(row.status) ? null : html` id="refused-${row.status}"`;
      seen.add(row.status);
      return html`<tr${id}>
        <td><span class="status poor">${row.status}</span></td>
        <td><code>${name}</code></td>
        <td>${inline(row.says)}${"hint" in row ? html`<span class="hint">Hint: ${row.hint}.</span>` : null}</td>
      </tr>`;
    });
  return html`<section class="feature" id="refusals">
    <header class="feature-head">
      <h2>Refusals</h2>
      <p>
        A request that is refused stores nothing. The answer says why, in a sentence and a code.
      </p>
    </header>
    <div class="op">
      <div class="op-text scroll">
        <table>
          <thead>
            <tr>
              <th>Status</th>
              <th>Code</th>
              <th>When</th>
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>
      <div class="op-code">
        ${jsonCode("400 Bad Request", {
          error: "Svc-Delay: is not a duration",
          code: "invalid-request",
          field: "Svc-Delay",
        })}
      </div>
    </div>
  </section>`;
}

export function schemasPart(document: OpenApi): Html {
  const schemas = Object.entries(document.components.schemas) as [string, SchemaObject][];
  const sections = schemas.map(
    ([name, schema]) =>
      html`<section class="op" id="schema-${name}">
        <header class="op-head">
          <h3><a href="#schema-${name}">${name}</a></h3>
        </header>
        <div class="op-text">${schemaFields(schema, document)}</div>
        <div class="op-code">${jsonCode("Example", exampleOf(schema, document))}</div>
      </section>`,
  );
  return html`<section class="feature" id="schemas">
    <header class="feature-head">
      <h2>Schemas</h2>
      <p>
        Objects that answers share. Fields without <em>required</em> are left out where they have no
        value.
      </p>
    </header>
    ${sections}
  </section>`;
}

type SchemaObject = Readonly<Record<string, unknown>>;

function schemaFields(schema: SchemaObject, document: OpenApi): Html {
  if (!("properties" in schema)) return fields(schema, document);
  const rows = Object.entries(schema["properties"] as Record<string, SchemaObject>).map(
    ([name, member]) => field(name, member, isRequired(schema, name), document),
  );
  return html`<dl class="fields">${rows}</dl>`;
}
