import { constants } from "node:fs";
import { access, lstat, readlink } from "node:fs/promises";
import { join } from "node:path";
import { refuseSandbox } from "./sandbox-reasons.ts";

/** The programs that make a sandbox. */
export interface SandboxPrograms {
  readonly bubblewrap: string;
  /** As it is called inside, where the system is in the same places. */
  readonly prlimit: string;
}

const places = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** Finds the programs, or says what to install. `folders` are where programs are looked for. */
export async function findPrograms(folders: readonly string[] = places): Promise<SandboxPrograms> {
  if (process.platform !== "linux") {
    throw refuseSandbox("not_linux", "the sandbox works on Linux only; run Windlass in a Linux container or machine");
  }
  const [bubblewrap, prlimit] = await Promise.all([find("bwrap", folders), find("prlimit", folders)]);
  if (bubblewrap === undefined) {
    const how = "install the package bubblewrap (Debian, Ubuntu: apt-get install bubblewrap)";
    throw refuseSandbox("not_installed", `the sandbox needs bubblewrap: ${how}`);
  }
  if (prlimit === undefined) {
    throw refuseSandbox("not_installed", "the sandbox needs prlimit: install the package util-linux");
  }
  return { bubblewrap, prlimit };
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

/** Arguments that show the system inside, read only: its programs and libraries, nothing of its users. */
export async function systemMounts(): Promise<string[]> {
  const mounts = ["--ro-bind", "/usr", "/usr"];
  for (const folder of systemFolders) {
    const stats = await lstat(folder).catch(() => undefined);
    if (stats?.isSymbolicLink() === true) mounts.push("--symlink", await readlink(folder), folder);
    else if (stats?.isDirectory() === true) mounts.push("--ro-bind", folder, folder);
  }
  // How the loader and the links of Debian find libraries and programs, and what time it is here.
  for (const file of ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"])
    mounts.push("--ro-bind-try", file, file);
  return mounts;
}
