/** Where a message goes: the method, the host in text weight, the path in mono, the end of its id. */
import { destinationOf, idTail, lastSegment } from "../app/format.ts";

interface DestinationProps {
  /** Empty where it says nothing. */
  readonly method: string;
  readonly url: string;
  readonly id?: string;
}

export function DestinationText({ method, url, id }: DestinationProps) {
  return (
    <span class="dest" title={url}>
      {method === "" ? null : <span class="m">{method}</span>}
      <UrlText url={url} />
      {id === undefined ? null : <span class="id hide-m">{idTail(id)}</span>}
    </span>
  );
}

/** Host and path. Where they are too long, the last segment of the path stays. */
export function UrlText({ url, before = "" }: { readonly url: string; readonly before?: string }) {
  const { host, path } = destinationOf(url);
  const { head, tail } = lastSegment(path);
  return (
    <span class="keep-end">
      <span class="cut">
        {before}
        <span class="h">{host}</span>
        <span class="p">{head}</span>
      </span>
      <span class="cut p tail">{tail}</span>
    </span>
  );
}
