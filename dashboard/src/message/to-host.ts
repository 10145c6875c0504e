/** As the server matches it: a host without a port means every port. */
export function isToHost(host: string | null, url: string): boolean {
  const found = URL.parse(url);
  return host === null || found?.host === host || found?.hostname === host;
}
