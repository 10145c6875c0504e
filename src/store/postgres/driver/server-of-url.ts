/** The server and the database that a URL names, without user and password. */
export function serverOf(url: string): { host: string; database: string } {
  const read = URL.parse(url);
  const host = read?.searchParams.get("host") ?? read?.hostname ?? "";
  const port = read?.port || "5432";
  const database = decodeURIComponent(read?.pathname.slice(1) ?? "");
  return {
    host: host.startsWith("/") ? host : `${host || "localhost"}:${port}`,
    database: database || decodeURIComponent(read?.username ?? "") || "postgres",
  };
}
