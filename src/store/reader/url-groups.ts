import type { UrlGroup, UrlGroupKey } from "../../core/model/url-group/url-group.ts";

export interface UrlGroupReader {
  get(key: UrlGroupKey): Promise<UrlGroup | null>;
  /** All URL groups of an account by name; their number is limited. */
  list(accountId: string): Promise<readonly UrlGroup[]>;
}
