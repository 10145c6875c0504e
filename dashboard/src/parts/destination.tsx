/** Where a message goes: the method, the host in text weight, the path in mono, the end of its id. */
import { destinationOf, idTail } from "../app/format.ts";

interface DestinationProps {
  /** Empty where it says nothing. */
  readonly method: string;
  readonly url: string;
  readonly id?: string;
}

export function DestinationText({ method, url, id }: DestinationProps) {
  const { host, path } = destinationOf(url);
  return (
    <span class="dest" title={url}>
      {method === "" ? null : <span class="m">{method}</span>}
      <span class="cut">
        <span class="h">{host}</span>
        <span class="p">{path}</span>
      </span>
      {id === undefined ? null : <span class="id hide-m">{idTail(id)}</span>}
    </span>
  );
}
