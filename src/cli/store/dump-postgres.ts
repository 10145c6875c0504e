import { spawn } from "node:child_process";
import { once } from "node:events";
import { syncFile } from "../../platform/durable-files.ts";
import type { Settings } from "../../config/settings.ts";
import { CommandError } from "../command-error.ts";
import { withWriter } from "../new-file.ts";

/** Runs `pg_dump` of the schema. The password is not among its arguments, which others can read. */
export async function dumpPostgres(
  { databaseUrl = "", databaseSchema }: Settings,
  target: string,
): Promise<void> {
  const { url, password } = withoutPassword(forLibpq(databaseUrl));
  const args = (file: string): string[] => {
    return ["--format=custom", `--schema=${databaseSchema}`, `--file=${file}`, `--dbname=${url}`];
  };
  process.umask(0o077);
  const dump = spawn("pg_dump", args(target), {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...(password === null ? {} : { PGPASSWORD: password }) },
  });
  const ended = once(dump, "close").catch((error: unknown) => [error]);
  const [code] = (await withWriter(() => void dump.kill(), ended)) as [unknown];
  if (code === 0) return syncFile(target);
  if ((code as NodeJS.ErrnoException | null)?.code === "ENOENT") {
    const command = `pg_dump ${args("FILE").map(quoted).join(" ")}`;
    throw new CommandError("pg_dump is not installed here", 1, `run this where it is: ${command}`);
  }
  throw new CommandError(
    `pg_dump ended with ${String(code)}`,
    1,
    "it says why above; it must not be older than the server",
  );
}

/** What pg understands in an address and `pg_dump` does not, in its words. */
export function forLibpq(address: string): string {
  return address
    .replace(/([?&]sslmode=)no-verify(?=&|$)/, "$1require")
    .replace(/([?&])uselibpqcompat=[^&]*(&|$)/, (_all, mark: string, end: string) =>
      end === "&" ? mark : "",
    );
}

/** By the text, since an address without a host, such as that of a socket, is no URL to JavaScript. */
export function withoutPassword(address: string): { url: string; password: string | null } {
  let password: string | null = null;
  const url = address
    .replace(/^(\w+:\/\/[^:@/?]*):([^@/?]*)@/, (_all, before: string, text: string) => {
      password = decoded(text);
      return `${before}@`;
    })
    .replaceAll(/([?&])password=([^&]*)(&|$)/g, (_all, mark: string, text: string, end: string) => {
      password = decoded(text);
      return end === "&" ? mark : "";
    });
  return { url, password };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
