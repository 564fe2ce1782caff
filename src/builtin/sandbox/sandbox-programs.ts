import { constants, existsSync } from "node:fs";
import { access, lstat, readlink } from "node:fs/promises";
import { join } from "node:path";
import { sandboxFailure } from "./sandbox-reasons.ts";

/** The programs that create a sandbox. */
export interface SandboxPrograms {
  readonly bubblewrap: string;
  /** Its path inside, where the system has the same layout. */
  readonly prlimit: string;
}

const programFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** The messages for missing programs. */
const neededPrograms = {
  bwrap: "the sandbox needs bubblewrap; install the package bubblewrap (Debian, Ubuntu: apt-get install bubblewrap)",
  prlimit: "the sandbox needs prlimit; install the package util-linux",
} as const;

const onlyLinux = "the sandbox works on Linux only; run Windlass in a Linux container or machine";

/** Finds the programs, or throws with installation advice. `folders` are the folders to search. */
export async function findPrograms(folders: readonly string[] = programFolders): Promise<SandboxPrograms> {
  if (process.platform !== "linux") throw sandboxFailure("not_linux", onlyLinux);
  const [bubblewrap, prlimit] = await Promise.all([find("bwrap", folders), find("prlimit", folders)]);
  if (bubblewrap === undefined) throw sandboxFailure("not_installed", neededPrograms.bwrap);
  if (prlimit === undefined) throw sandboxFailure("not_installed", neededPrograms.prlimit);
  return { bubblewrap, prlimit };
}

/** Why the sandbox cannot start, as far as that is known without trying; undefined if it may. */
export function missingPrograms(folders: readonly string[] = programFolders): string | undefined {
  if (process.platform !== "linux") return onlyLinux;
  const isInstalled = (name: string): boolean => folders.some((folder) => existsSync(join(folder, name)));
  return Object.entries(neededPrograms).find(([name]) => !isInstalled(name))?.[1];
}

async function find(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return path;
  }
  return undefined;
}

/** Top folders of a system that programs need. */
const systemFolders = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/** Returns arguments that mount the system read-only: its programs and libraries, but no user data. */
export async function systemMounts(): Promise<string[]> {
  const mounts = ["--ro-bind", "/usr", "/usr"];
  for (const folder of systemFolders) {
    const stats = await lstat(folder).catch(() => undefined);
    if (stats?.isSymbolicLink() === true) mounts.push("--symlink", await readlink(folder), folder);
    else if (stats?.isDirectory() === true) mounts.push("--ro-bind", folder, folder);
  }
  // Files by which the loader and the links of Debian find libraries and programs, and the time zone.
  for (const file of ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"])
    mounts.push("--ro-bind-try", file, file);
  return mounts;
}
