import { filterValues } from "../parts/filter-fields.ts";

/** As the server matches it: one of several hosts; one without a port means every port. */
export function isToHost(hosts: string | null, url: string): boolean {
  const found = URL.parse(url);
  const isTo = (host: string): boolean => found?.host === host || found?.hostname === host;
  return hosts === null || filterValues(hosts).some(isTo);
}
