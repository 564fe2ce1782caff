import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ProcessIdentity, isGone, makeDataFolder, nodeCrypto, processIdentity } from "../../../base/index.ts";
import { markVariable } from "./process-group.ts";

/** A program that was started, as its file tells: whom to end, and whose it is. */
export interface Child extends ProcessIdentity {
  readonly server: string;
  /** In the environment of the program and of all that it starts. */
  readonly mark: string;
  readonly owner: ProcessIdentity;
}

/** A child's file. */
export interface ChildFile {
  readonly child: Child;
  /** The program and all of its group are gone. */
  readonly remove: () => void;
}

/**
 * Keeps a file for each program that runs, so that what outlives this process can be ended by the next one. Written at
 * once and synchronously: a process that is killed writes nothing later.
 */
export class ChildFiles {
  readonly #stateDir: string;
  readonly #dir: string;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
    this.#dir = join(stateDir, "mcp", "children");
  }

  /** A mark for the environment of the next program. */
  newMark(): string {
    return nodeCrypto().randomBytes(12).toString("hex");
  }

  write(server: string, pid: number, mark: string): ChildFile {
    const child: Child = { server, ...processIdentity(pid), mark, owner: processIdentity(process.pid) };
    const file = join(this.#dir, `${pid}-${mark}.json`);
    makeDataFolder(this.#stateDir);
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, `${JSON.stringify({ ...child, variable: markVariable })}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return { child, remove: () => rmSync(file, { force: true }) };
  }

  /** The files of programs whose owners are certainly gone. */
  left(): readonly ChildFile[] {
    return this.#names().flatMap((name) => {
      const file = join(this.#dir, name);
      const child = read(file);
      if (child === undefined || !isGone(child.owner)) return [];
      return [{ child, remove: () => rmSync(file, { force: true }) }];
    });
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#dir).filter((name) => name.endsWith(".json"));
    } catch {
      return [];
    }
  }
}

function read(file: string): Child | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isChild(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isChild(value: unknown): value is Child {
  if (!isProcess(value) || !("mark" in value) || !("owner" in value)) return false;
  return typeof value.mark === "string" && value.mark.length >= 16 && isProcess(value.owner);
}

function isProcess(value: unknown): value is ProcessIdentity {
  if (typeof value !== "object" || value === null) return false;
  const { pid, processStart, bootId } = value as Partial<Record<keyof ProcessIdentity, unknown>>;
  // A group with the number 0 or 1 would be ours, or everybody's.
  return Number.isSafeInteger(pid) && Number(pid) > 1 && typeof processStart === "string" && typeof bootId === "string";
}
