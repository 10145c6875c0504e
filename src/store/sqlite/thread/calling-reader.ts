import type { DriverReader } from "../../reads/driver-reader.ts";
import { everyMethod, isApart } from "../../reads/read-kinds.ts";
import type { ThreadCalls } from "./thread-calls.ts";

/** A reader whose methods are calls to the reading threads. */
export function callingReader({ reading, listing }: ThreadCalls): DriverReader {
  return everyMethod(({ name, kind }) => {
    const call = isApart(kind) ? listing : reading;
    return (...asked) => call(name, asked);
  });
}
