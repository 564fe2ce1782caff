import { realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { cliCommand } from "../base/index.ts";
import type { Trigger } from "../chain/index.ts";
import type { TriggerState } from "../store/index.ts";
import type { DefinedTrigger } from "./trigger-deps.ts";

/** Only an active trigger fires. */
export type TriggerStatus = "active" | "paused" | "unapproved" | "untrusted" | "invalid";

/** A trigger with its stored state. */
export interface TriggerStanding {
  readonly trigger: Trigger;
  readonly status: TriggerStatus;
  /** Why it does not fire, and what to do. */
  readonly message?: string;
  /** Undefined if it was never registered. */
  readonly state: TriggerState | undefined;
  /** The last write of a tool to its file. */
  readonly write: number;
}

/** The status of each trigger. */
export function standingOf(
  { trigger, fault }: DefinedTrigger,
  state: TriggerState | undefined,
  write: number,
): TriggerStanding {
  const about = { trigger, state, write };
  if (fault !== undefined) return { ...about, ...fault };
  if (!isApproved(trigger, state, write)) {
    const message = `a tool wrote ${trigger.file ?? "its file"}; check it, then: ${cliCommand(`triggers approve ${trigger.id}`)}`;
    return { ...about, status: "unapproved", message };
  }
  if (state?.pausedAt === undefined) return { ...about, status: "active" };
  return { ...about, status: "paused", message: `to resume it: ${cliCommand(`triggers resume ${trigger.id}`)}` };
}

/** A trigger in a file that a tool wrote needs an approval that is newer than the write, of this definition. */
function isApproved({ digest }: Trigger, state: TriggerState | undefined, write: number): boolean {
  if (write === 0) return true;
  const approved = state?.approved;
  return approved !== undefined && approved.digest === digest && approved.write >= write;
}

/** Numbers of the last writes of tools to files, by the names that the files have in the workspace. */
export async function writesTo(
  files: readonly (string | undefined)[],
  writes: ReadonlyMap<string, number>,
  dir: string,
): Promise<ReadonlyMap<string, number>> {
  if (writes.size === 0) return new Map();
  const found = await Promise.all(
    [...new Set(files)].map(async (file): Promise<[string, number]> => {
      if (file === undefined) return ["", 0];
      // A link in the folder of chains may lead to the file that was written.
      const real = await writtenName(join(dir, file), dir);
      return [file, Math.max(writes.get(file) ?? 0, writes.get(real) ?? 0)];
    }),
  );
  return new Map(found);
}

/** The name under which a write to a file is noted: relative to the workspace, links followed. */
export async function writtenName(path: string, dir: string): Promise<string> {
  const [real, root] = await Promise.all([path, dir].map((each) => realpath(each).catch(() => each)));
  return relative(root ?? dir, real ?? path)
    .split(sep)
    .join("/");
}
