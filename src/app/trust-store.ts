import { mkdir, open, readFile, realpath, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fail, replaceFile, systemErrorCode, errorMessage } from "../base/index.ts";
import { isRecord } from "../schema/index.ts";
import { setTimeout } from "node:timers/promises";

type Environment = Readonly<Record<string, string | undefined>>;

/** Decisions of the user about one workspace, by the ids of its items. */
export interface TrustDecision {
  readonly trusted: ReadonlySet<string>;
  /** Items that the user declined to trust. */
  readonly declined: ReadonlySet<string>;
  /** True if a version stored it that did not check the data of workspaces. */
  readonly isBeforeData?: boolean;
}

/** Larger files are damaged. */
const maxBytes = 16 * 1024 * 1024;

/** The file with the decisions of the user about workspaces. */
export function trustFile(env: Environment): string {
  const stated = env["XDG_CONFIG_HOME"];
  // The specification of the variable ignores relative paths.
  const base = stated !== undefined && isAbsolute(stated) ? stated : join(env["HOME"] || homedir(), ".config");
  return join(base, "windlass", "trust.json");
}

/** The stored decision about a workspace. A file that cannot be read, or that others can write, decides nothing. */
export async function readTrustDecision(dir: string, env: Environment): Promise<TrustDecision> {
  const entry = (await readWorkspaces(trustFile(env)))[await realPathOf(dir)];
  const ids = (key: string): ReadonlySet<string> => {
    const list = isRecord(entry) ? entry[key] : undefined;
    return new Set(Array.isArray(list) ? list.filter((id) => typeof id === "string") : []);
  };
  return {
    trusted: ids("trusted"),
    declined: ids("declined"),
    isBeforeData: isRecord(entry) && entry["data"] !== true,
  };
}

/** Stores the decision about a workspace, and replaces an earlier one; without a decision, forgets it. */
export async function storeTrustDecision(dir: string, env: Environment, decision?: TrustDecision): Promise<void> {
  const file = trustFile(env);
  const path = await realPathOf(dir);
  try {
    await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
    await locked(`${file}.lock`, async () => {
      const { [path]: _before, ...others } = await readWorkspaces(file);
      const own = decision && { trusted: [...decision.trusted], declined: [...decision.declined], data: true };
      const workspaces = own === undefined ? others : { ...others, [path]: own };
      replaceFile(file, `${JSON.stringify({ version: 1, workspaces }, null, 1)}\n`);
    });
  } catch (error) {
    throw fail(`the decision cannot be stored: ${errorMessage(error)}`, { cause: error, retry: "never" });
  }
}

/** A folder that does not exist yet has only its name. */
function realPathOf(dir: string): Promise<string> {
  return realpath(dir).catch(() => dir);
}

async function readWorkspaces(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { mode, size, uid } = await stat(file);
    const isForeign = process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0);
    if (size > maxBytes || isForeign) return {};
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    const workspaces = isRecord(value) ? value["workspaces"] : undefined;
    return isRecord(workspaces) ? workspaces : {};
  } catch {
    return {};
  }
}

/** A lock that is older belongs to a process that died: the work under it takes some milliseconds. */
const staleMs = 5_000;

/** Runs `work` while no other process does: two decisions at once must not replace each other. */
async function locked(lock: string, work: () => Promise<void>): Promise<void> {
  const until = performance.now() + staleMs;
  while (!(await acquire(lock))) {
    if (performance.now() > until) await rm(lock, { force: true });
    await setTimeout(20);
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function acquire(lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx", 0o600)).close();
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw error;
  }
}
