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

/** Host and path. Where they are too long, the middle of the path goes first, then its end: the host says most. */
export function UrlText({ url, before = "" }: { readonly url: string; readonly before?: string }) {
  const { host, path } = destinationOf(url);
  const { head, tail } = lastSegment(path);
  return (
    <span class="keep-end">
      <span class="cut h">
        {before}
        {host}
      </span>
      <span class={`cut p middle ${head.length > SHORT ? "long" : ""}`}>{head}</span>
      <span class="cut p end">{tail}</span>
    </span>
  );
}

/** So many characters have room where a longer text is its ellipsis. */
const SHORT = 2;
