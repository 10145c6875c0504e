/** As the server matches it: one of several hosts; one without a port means every port. */
export function isToHost(hosts: string | null, url: string): boolean {
  const found = URL.parse(url);
  const isTo = (host: string): boolean => found?.host === host || found?.hostname === host;
  return hosts === null || valuesOf(hosts).some(isTo);
}

/** The values of a filter, which the server separates at commas. */
export function valuesOf(filter: string): readonly string[] {
  return filter.split(",").map((value) => value.trim());
}
