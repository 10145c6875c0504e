import type { DeadLetterKey } from "../../core/model/message/dead-letter.ts";
import type { DeadRun, DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import type { Page, PageRequest } from "./page.ts";

/** Failed runs, which are dead letters too. */
export interface DeadRunReader {
  get(key: DeadLetterKey): Promise<DeadRun | null>;
  list(accountId: string, filter: DeadRunFilter, page: PageRequest): Promise<Page<DeadRun>>;
  /** The keys of those that `list` would show, without what is stored of them. */
  keys(accountId: string, filter: DeadRunFilter, page: PageRequest): Promise<Page<DeadLetterKey>>;
}
