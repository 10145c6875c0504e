import { STATUS_CODES } from "node:http";
import type { OpenApi, Operation, Parameter, Response } from "./document.ts";
import { curlOf, exampleOf, resolvedParameter } from "./examples.ts";
import { type Html, html, inline, marked } from "./html.ts";
import { code, fields, jsonCode, typeOf } from "./docs-schema.ts";

export interface ListedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** One endpoint: what it does and takes on the left, a call and its answer on the right. */
export function operationSection(listed: ListedOperation, document: OpenApi): Html {
  const { method, path, operation } = listed;
  const { operationId: id, summary, description } = operation;
  const parameters = operation.parameters.map((one) => resolvedParameter(one, document));
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!);
  const inPath = parameters.filter((one) => one.in === "path");
  return html`<section class="op" id="${id}">
    <header class="op-head">
      <h3><a href="#${id}">${summary}</a></h3>
      <p class="route">${verb(method, operation)} ${shownPath(path)} ${access(operation)}</p>
    </header>
    <div class="op-text">
      <div class="prose">${marked(mainPart(description))}</div>
      ${parameterList(
        "Path",
        inPath.map((one, index) => ({ ...one, name: names[index]! })),
        document,
      )}
      ${parameterList(
        "Query",
        parameters.filter((one) => one.in === "query"),
        document,
      )}
      ${headerList(parameters.filter((one) => one.in === "header"))}
      ${bodyPart(operation, document)} ${answerPart(operation, document)}
    </div>
    <div class="op-code">
      ${code("Request", curlOf(method, path, operation, document))}
      ${exampleAnswer(operation, document)}
    </div>
  </section>`;
}

/** Older names of the endpoints of a feature, in one table. */
export function olderNames(listed: readonly ListedOperation[]): Html | null {
  if (listed.length === 0) return null;
  const rows = listed.map(
    ({ method, path, operation }) =>
      html`<tr id="${operation.operationId}">
        <td>${verb(method, operation)}</td>
        <td>${shownPath(path)}</td>
        <td>${inline(operation.description)}</td>
      </tr>`,
  );
  return html`<section class="older">
    <h3>Older names</h3>
    <p class="soft">For clients that know them. Use the others.</p>
    <div class="scroll">
      <table>
        ${rows}
      </table>
    </div>
  </section>`;
}

export function verb(method: string, { description }: Pick<Operation, "description">): Html {
  const isAny = description.includes("Any method is accepted.");
  return html`<span class="verb ${isAny ? "any" : method}">${isAny ? "any" : method}</span>`;
}

export function shownPath(path: string): Html {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    if (part.startsWith("{")) return html`<em>${part}</em>`;
    return html`${part.split("/").map((word, index) => (index === 0 ? word : html`/<wbr />${word}`))}`;
  });
  return html`<code class="path">${parts}</code>`;
}

function access({ security }: Operation): Html {
  const [scheme] = security;
  const name = scheme === undefined ? "no token" : "token" in scheme ? "token" : "Basic auth";
  return html`<a class="tag" href="#authentication">${name}</a>`;
}

/** Headers with open names are explained once, with the headers. */
function mainPart(description: string): string {
  return description.split("\n\nHeaders may have the prefix")[0]!;
}

function parameterList(
  title: string,
  parameters: readonly Parameter[],
  document: OpenApi,
): Html | null {
  if (parameters.length === 0) return null;
  const rows = parameters.map(
    ({ name, description, required, schema }) =>
      html`<div class="field">
        <dt>
          <code>${name}</code> <span class="type">${typeOf(schema, document)}</span>
          ${required === true ? html`<span class="needed">required</span>` : null}
        </dt>
        <dd>${inline(description)}</dd>
      </div>`,
  );
  const list = html`<dl class="fields">${rows}</dl>`;
  if (parameters.length <= LIST_OPEN_MAX)
    return html`<h4>${title}</h4>
      ${list}`;
  return html`<details>
    <summary>${title} <span class="n">${parameters.length}</span></summary>
    ${list}
  </details>`;
}

function headerList(parameters: readonly Parameter[]): Html | null {
  if (parameters.length === 0) return null;
  const [own, callback] = [
    parameters.filter((one) => !isOfCallback(one)),
    parameters.filter(isOfCallback),
  ];
  const links = own.map(
    ({ name, required }) =>
      html`<a class="chip${required === true ? " needed-chip" : ""}" href="#${headerId(name)}"
        >${name}</a
      > `,
  );
  return html`<h4>Headers</h4>
    <p class="chips">
      ${links} <a class="chip more" href="#headers">${callback.length} more for callbacks</a>
      <a class="chip more" href="#headers">Svc-Forward-*</a>
    </p>`;
}

function isOfCallback({ name }: Parameter): boolean {
  return /^Svc-(Failure-)?Callback-/.test(name);
}

export function headerId(name: string): string {
  return `header-${name.toLowerCase()}`;
}

function bodyPart({ requestBody }: Operation, document: OpenApi): Html | null {
  const [entry] = Object.entries(requestBody?.content ?? {});
  if (requestBody === undefined || entry === undefined) return null;
  const [type, { schema }] = entry;
  if (type === "*/*") {
    return html`<h4>Body</h4>
      <p class="soft">${requestBody.description ?? ""}</p>`;
  }
  return html`<h4>
      Body <span class="type">JSON${requestBody.required ? "" : ", optional"}</span>
    </h4>
    ${fields(schema, document)}`;
}

function answerPart({ responses }: Operation, document: OpenApi): Html {
  const own = Object.entries(responses).filter(([, response]) => !("$ref" in response));
  const rows = own.map(([status, response]) => {
    const { description, content } = response as Response;
    const [schema] = Object.values(content ?? {}).map((one) => one.schema);
    return html`<li>
      <span class="status ${status.startsWith("2") ? "good" : "poor"}">${status}</span>
      <span>${description.replace(/\.$/, "")}</span>
      ${schema === undefined ? null : html`<span class="type">${typeOf(schema, document)}</span>`}
    </li>`;
  });
  const refused = Object.entries(responses).filter(([, response]) => "$ref" in response);
  const links = refused.map(
    ([status]) =>
      html`<a class="status poor" href="#refused-${status}" title="${STATUS_CODES[status] ?? ""}"
        >${status}</a
      > `,
  );
  return html`<h4>Answers</h4>
    <ul class="answers">
      ${rows}
      <li>${links}<span class="soft">refused</span></li>
    </ul>`;
}

function exampleAnswer({ responses }: Operation, document: OpenApi): Html | null {
  const [entry] = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  if (entry === undefined) return null;
  const [status, response] = entry;
  const { content } = response as Response;
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) return null;
  const title = `${status} ${STATUS_CODES[status]}`;
  return jsonCode(title, exampleOf(schema, document));
}

const LIST_OPEN_MAX = 6;
