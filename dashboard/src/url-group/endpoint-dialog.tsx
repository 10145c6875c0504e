/** An endpoint of a URL group, the first one of a new group, and the headers of a group. */
import { useState } from "preact/hooks";
import type { Endpoint, UrlGroup } from "../../../sdk/src/answers/url-group.ts";
import { Dialog } from "../parts/dialog.tsx";
import { AreaField, TextField } from "../parts/field.tsx";
import { headerLines, headerPairs } from "../parts/header-lines.ts";
import { announce } from "../app/announce.ts";
import { putEndpoint, removeEndpoint, setHeaders } from "./url-group.ts";

interface EndpointDialogProps {
  /** Null when the group is new. */
  readonly group: string | null;
  /** Absent when the endpoint is new. */
  readonly endpoint?: Endpoint | undefined;
  readonly onClose: () => void;
  /** Leads to a new group. */
  readonly onSaved?: (group: string) => void;
}

export function EndpointDialog({ group, endpoint, onClose, onSaved }: EndpointDialogProps) {
  const [groupName, setGroupName] = useState(group ?? "");
  const [url, setUrl] = useState(endpoint?.url ?? "");
  const [name, setName] = useState(endpoint?.name ?? "");
  const words = wordsOf(group, endpoint);
  const save = async (): Promise<void> => {
    const target = groupName.trim();
    // The URL tells endpoints apart, so another URL is another endpoint.
    await putEndpoint(target, { url: url.trim(), name: name.trim() });
    if (endpoint !== undefined && endpoint.url !== url.trim())
      await removeEndpoint(target, endpoint);
    announce(words.done(target));
    onSaved?.(target);
  };
  return (
    <Dialog
      title={words.title}
      confirm={words.confirm}
      cancel="Close"
      onConfirm={save}
      onClose={onClose}
    >
      {group === null ? (
        <TextField name="Group" value={groupName} placeholder="partners" onInput={setGroupName} />
      ) : null}
      <TextField
        name="URL"
        value={url}
        placeholder="https://example.com/hook"
        isMono
        onInput={setUrl}
      />
      <TextField name="Name" value={name} placeholder="optional" isOptional onInput={setName} />
      {group === null ? (
        <p class="hint">This is its first endpoint. A group without endpoints does not exist.</p>
      ) : null}
    </Dialog>
  );
}

function wordsOf(group: string | null, endpoint: Endpoint | undefined) {
  if (group === null) {
    return {
      title: "New URL group",
      confirm: "Create group",
      done: (name: string) => `URL group ${name} is created.`,
    };
  }
  return endpoint === undefined
    ? {
        title: `Add an endpoint to ${group}`,
        confirm: "Add endpoint",
        done: () => "The endpoint is added.",
      }
    : {
        title: `Edit ${endpoint.name ?? "the endpoint"}`,
        confirm: "Save endpoint",
        done: () => "The endpoint is saved.",
      };
}

interface HeadersDialogProps {
  readonly group: UrlGroup;
  readonly onClose: () => void;
}

export function HeadersDialog({ group, onClose }: HeadersDialogProps) {
  const { name, headers = {} } = group;
  const pairs = Object.entries(headers).flatMap(([header, values]) =>
    values.map((value): [string, string] => [header, value]),
  );
  const [text, setText] = useState(headerLines(pairs));
  const save = async (): Promise<void> => {
    await setHeaders(name, headerPairs(text));
    announce(`The default headers of ${name} are saved.`);
  };
  return (
    <Dialog
      title={`Default headers of ${name}`}
      confirm="Save headers"
      cancel="Close"
      onConfirm={save}
      onClose={onClose}
    >
      <AreaField
        name="Headers, one a line"
        rows={5}
        value={text}
        placeholder={"Svc-Retries: 5\nSvc-Forward-X-Source: acme"}
        hint="Every message to the group gets them. A header of the message itself wins."
        onInput={setText}
      />
    </Dialog>
  );
}
