import { verify } from "../store/restore.ts";
import type { LocalHandlers } from "../flags.ts";

export const HANDLERS: LocalHandlers = {
  verify: ([file = ""], flags) => Promise.resolve(verify(file, flags)),
};
