import { limitArguments, type SandboxLimits } from "./sandbox-limits.ts";
import { type SandboxPrograms, systemMounts } from "./sandbox-programs.ts";

/** Working directory of a program, which contains its files. */
export const workFolder = "/box";

/** Folders that a program can write to. They are in memory, and share one size limit. */
export const memoryFolders: readonly { readonly path: string; readonly share: number }[] = [
  { path: workFolder, share: 1 / 2 },
  { path: "/tmp", share: 1 / 4 },
  { path: "/dev/shm", share: 1 / 4 },
];

/** Read-only folder for files of the sandbox itself. */
export const sandboxFolder = "/opt/windlass";

/** Descriptor on which bubblewrap reports its status. */
export const statusDescriptor = 3;

/** The first of the descriptors that carry the content of files. */
export const firstPipe: number = statusDescriptor + 1;

/** Contents of the sandbox. */
export interface SandboxContents {
  readonly command: readonly string[];
  /** Absolute paths of files, in the order of the descriptors that carry their content. */
  readonly files: readonly string[];
  /** True if the next descriptor carries a system call filter. */
  readonly isFiltered: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
}

/**
 * Returns all arguments of bubblewrap. New namespaces for everything, so there is no network, no process of the machine
 * and no other user; no capabilities, and no further namespaces; a read-only system, no home, small folders in memory;
 * its own session, detached from the terminal; and it dies with this process.
 */
export async function bubblewrapArguments(programs: SandboxPrograms, inside: SandboxContents): Promise<string[]> {
  const { command, files, isFiltered, env, limits } = inside;
  const sizeOf = (share: number): string => String(Math.max(1, Math.floor(limits.diskBytes * share)));
  const groups: string[][] = [
    ["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--new-session", "--die-with-parent"],
    ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--clearenv"],
    Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    await systemMounts(),
    ["--ro-bind", process.execPath, `${sandboxFolder}/node`],
    ["--proc", "/proc", "--dev", "/dev"],
    memoryFolders.flatMap(({ path, share }) => ["--size", sizeOf(share), "--tmpfs", path]),
    files.flatMap((path, at) => ["--file", String(firstPipe + at), path]),
    isFiltered ? ["--seccomp", String(firstPipe + files.length)] : [],
    // The root of the mounts is a memory file system too, without a size limit.
    ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", workFolder],
    ["--json-status-fd", String(statusDescriptor), "--"],
    [programs.prlimit, ...limitArguments(limits), "--", ...command],
  ];
  return groups.flat();
}
