import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { SettingError } from "./read-settings.ts";

/** The certificate authorities in the file that `--egress-ca` names, in PEM form. */
export function readAuthorities(path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  const text = read(path);
  requireCertificate(path, text);
  return [text];
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unusable(path, "cannot be read", error);
  }
}

/** TLS passes over what is no certificate, and would then trust no authority of the file. */
function requireCertificate(path: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw unusable(path, "does not begin with a certificate", error);
  }
}

function unusable(path: string, what: string, error: unknown): SettingError {
  return new SettingError(
    `egress-ca: ${path} ${what}. Name a file with certificates in PEM form (${(error as Error).message})`,
  );
}
