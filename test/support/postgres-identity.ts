/** The certificate that a PostgreSQL of tests shows to those who ask for TLS. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Both in PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** The paths of the files. A key that others can read is refused. */
export function writeIdentity(folder: string, { certificate, key }: Identity): string[] {
  const { certificateFile, keyFile } = filesIn(folder);
  writeFileSync(certificateFile, certificate, { mode: 0o600 });
  writeFileSync(keyFile, key, { mode: 0o600 });
  return [certificateFile, keyFile];
}

export function identitySettings(folder: string): string[] {
  const { certificateFile, keyFile } = filesIn(folder);
  return ["ssl=on", `ssl_cert_file=${certificateFile}`, `ssl_key_file=${keyFile}`];
}

function filesIn(folder: string): { certificateFile: string; keyFile: string } {
  return {
    certificateFile: join(folder, "server.pem"),
    keyFile: join(folder, "server-key.pem"),
  };
}
