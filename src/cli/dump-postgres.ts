import { spawn } from "node:child_process";
import { once } from "node:events";
import { syncFile } from "../platform/durable-files.ts";
import type { Settings } from "../config/settings.ts";
import { CommandError } from "./command-error.ts";
import type { Flags } from "./flags.ts";

/** Runs `pg_dump` of the schema. The password is not among its arguments, which others can read. */
export async function dumpPostgres(
  { databaseUrl = "", databaseSchema }: Settings,
  target: string,
  flags: Flags,
): Promise<void> {
  if (flags.text("passphrase-file") !== undefined) {
    throw new CommandError(
      "with PostgreSQL the secret key is a setting of the nodes and not in the backup; leave out --passphrase-file",
    );
  }
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = "";
  const given = [`--schema=${databaseSchema}`, `--file=${target}`, `--dbname=${url.href}`];
  const args = ["--format=custom", ...given];
  process.umask(0o077);
  const dump = spawn("pg_dump", args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...(password === "" ? {} : { PGPASSWORD: password }) },
  });
  const [code] = (await once(dump, "close").catch((error: unknown) => [error])) as [unknown];
  if (code === 0) {
    syncFile(target);
    const told = { file: target, schema: databaseSchema };
    const text = `Backed up the schema ${databaseSchema} to ${target}. Keep POSTRIDER_SECRET_KEY elsewhere.`;
    process.stdout.write(`${flags.is("json") ? JSON.stringify(told) : text}\n`);
    return;
  }
  const isMissing = (code as NodeJS.ErrnoException | null)?.code === "ENOENT";
  const command = `pg_dump ${args.map(quoted).join(" ")}`;
  throw new CommandError(
    isMissing ? "pg_dump is not installed here" : `pg_dump ended with ${String(code)}`,
    1,
    isMissing ? `run this where it is: ${command}` : "it must not be older than the server",
  );
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
