/** Programs from Debian's packages, unpacked into a folder. Nothing is installed, and no root is needed. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Unpacks packages and what they need, beside the final place, so that two processes may do it at once. */
export function unpackPackages(root: string, wanted: readonly string[]): void {
  mkdirSync(dirname(root), { recursive: true });
  const draft = mkdtempSync(`${root}-draft-`);
  try {
    download(draft, wanted);
    for (const name of readdirSync(draft)) {
      execFileSync("dpkg-deb", ["-x", join(draft, name), join(draft, "root")]);
    }
    renameSync(join(draft, "root"), root);
  } catch (error) {
    if (!existsSync(root)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The lists of packages may be missing or old; only root may fetch them. */
function download(folder: string, wanted: readonly string[]): void {
  try {
    downloadKnown(folder, wanted);
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" });
    downloadKnown(folder, wanted);
  }
}

function downloadKnown(folder: string, wanted: readonly string[]): void {
  const plan = execFileSync("apt-get", ["install", "-s", "--no-install-recommends", ...wanted], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packages = [...plan.matchAll(/^Inst (\S+)/gm)].map((match) => match[1]!);
  execFileSync("apt-get", ["download", "-qq", ...packages], { cwd: folder, stdio: "ignore" });
}
