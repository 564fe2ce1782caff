import { limitArguments, type SandboxLimits } from "./sandbox-limits.ts";
import { type SandboxPrograms, systemMounts } from "./sandbox-programs.ts";

/** The folder in which a program starts, and where its files are. */
export const workFolder = "/box";

/** The folders that a program can write to. They are in memory, and share what it may write in all. */
export const memoryFolders: readonly { readonly path: string; readonly share: number }[] = [
  { path: workFolder, share: 1 / 2 },
  { path: "/tmp", share: 1 / 4 },
  { path: "/dev/shm", share: 1 / 4 },
];

/** Where the sandbox keeps what is not the program's own, read only. */
export const ownFolder = "/opt/windlass";

/** The descriptor on which bubblewrap tells what it does. */
export const statusDescriptor = 3;

/** The first of the descriptors that carry the content of files. */
export const firstPipe: number = statusDescriptor + 1;

/** What is put into the sandbox. */
export interface Inside {
  readonly command: readonly string[];
  /** Absolute paths of files, in the order of the descriptors that carry their content. */
  readonly files: readonly string[];
  /** Whether the descriptor after those carries a filter of system calls. */
  readonly isFiltered: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
}

/**
 * All arguments of bubblewrap. New namespaces for everything, so there is no network, no process of the machine and no
 * other user; no capability, no way to make further namespaces; the system read only, no home, small folders in memory; a
 * session of its own, away from the terminal; and it dies with this process.
 */
export async function bubblewrapArguments(programs: SandboxPrograms, inside: Inside): Promise<string[]> {
  const { command, files, isFiltered, env, limits } = inside;
  const sizeOf = (share: number): string => String(Math.max(1, Math.floor(limits.diskBytes * share)));
  const groups: string[][] = [
    ["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--new-session", "--die-with-parent"],
    ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--clearenv"],
    Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    await systemMounts(),
    ["--ro-bind", process.execPath, `${ownFolder}/node`],
    ["--proc", "/proc", "--dev", "/dev"],
    memoryFolders.flatMap(({ path, share }) => ["--size", sizeOf(share), "--tmpfs", path]),
    files.flatMap((path, at) => ["--file", String(firstPipe + at), path]),
    isFiltered ? ["--seccomp", String(firstPipe + files.length)] : [],
    // What holds the mounts is a memory file system too, without a limit.
    ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", workFolder],
    ["--json-status-fd", String(statusDescriptor), "--"],
    [programs.prlimit, ...limitArguments(limits), "--", ...command],
  ];
  return groups.flat();
}
