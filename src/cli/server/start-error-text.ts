import { SettingError } from "../../config/read-settings.ts";
import { Problem } from "../../core/problem.ts";
import { StoreOpenError } from "../../store/store-open-error.ts";

/** An operator's mistake and a fault of the machine get a sentence; a defect gets its stack. */
export function startErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isSystemError(error)) return systemErrorText(error);
  return isSentence(error) ? error.message : (error.stack ?? error.message);
}

interface SystemError extends Error {
  readonly code?: string;
  readonly syscall: string;
  readonly path?: string;
  /** Of a file that is renamed. */
  readonly dest?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

function isSystemError(error: Error): error is SystemError {
  return "syscall" in error;
}

function isSentence(error: Error): boolean {
  if (error.name === "Error") return true;
  return [SettingError, StoreOpenError, Problem].some((known) => error instanceof known);
}

/** What is wrong with which file or address, what to do, and in brackets what the system said. */
function systemErrorText(error: SystemError): string {
  const { code = "", message } = error;
  const says = (isOfListening(error) ? LISTENING : FILES)[code];
  return says === undefined ? message : `${says(subjectOf(error), hostOf(error))} (${message})`;
}

function isOfListening({ syscall }: SystemError): boolean {
  return syscall === "listen" || syscall === "bind" || syscall === "getaddrinfo";
}

function subjectOf(error: SystemError): string {
  const { path, dest, port } = error;
  if (!isOfListening(error)) return dest ?? path ?? "a file of the service";
  return port === undefined ? hostOf(error) : `port ${port} on ${hostOf(error)}`;
}

function hostOf({ address, hostname }: SystemError): string {
  return hostname ?? address ?? "the host";
}

type Says = (subject: string, host: string) => string;

const ELSEWHERE = "or name another folder with --data";
const NOT_ALLOWED: Says = (path) =>
  `${path} cannot be read or written by this user. Change its owner or its rights, ${ELSEWHERE}`;
const FULL: Says = (path) => `the disk is full at ${path}. Make room, ${ELSEWHERE}`;

const FILES: Readonly<Record<string, Says>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: (path) => `${path} is in a read-only file system. Make it writable, ${ELSEWHERE}`,
  ENOSPC: FULL,
  EDQUOT: FULL,
  EIO: (path) => `the disk fails at ${path}. Replace it, ${ELSEWHERE}`,
  EISDIR: (path) => `${path} is a folder where a file should be. Move it away, ${ELSEWHERE}`,
  ENOTDIR: (path) => `${path} lies below a file. Name a folder with --data`,
  ENAMETOOLONG: (path) => `${path} is too long. Name a shorter folder with --data`,
  ELOOP: (path) => `${path} is a link that leads to itself. Mend it, ${ELSEWHERE}`,
  EMFILE: (path) => `${path} cannot be opened: this process has no open file left. Raise ulimit -n`,
};

const ADDRESS: Says = (_, host) =>
  `${host} is no address of this machine. Give --host one of its addresses, or 0.0.0.0 for all`;

const LISTENING: Readonly<Record<string, Says>> = {
  EACCES: (where) => `this user may not listen on ${where}. Give --port a number above 1023`,
  EADDRNOTAVAIL: ADDRESS,
  EAFNOSUPPORT: ADDRESS,
  ENOTFOUND: (_, host) => `the host name ${host} cannot be resolved. Correct --host`,
  EAI_AGAIN: (_, host) => `the host name ${host} cannot be resolved. Correct --host`,
};
