import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type ProcessIdentity,
  isProcessGone,
  createDataFolder,
  nodeCrypto,
  processIdentity,
  replaceFile,
  orElse,
} from "../../../base/index.ts";
import { markVariable } from "./process-family.ts";

/** A started program as recorded in its file: the process to end, and its owner. */
export interface Child extends ProcessIdentity {
  readonly server: string;
  /** Set in the environment of the program and inherited by its descendants. */
  readonly mark: string;
  readonly owner: ProcessIdentity;
}

/** A child's file. */
export interface ChildFile {
  readonly child: Child;
  /** Call when the program and all of its group have ended. */
  readonly remove: () => void;
}

/**
 * Stores a file for each running program, so that the next process can end programs that outlive this one. Written at
 * once and synchronously: a killed process writes nothing later.
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
    createDataFolder(this.#stateDir);
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    replaceFile(file, `${JSON.stringify({ ...child, variable: markVariable })}\n`);
    return { child, remove: () => rmSync(file, { force: true }) };
  }

  /** The files of programs whose owners have certainly ended. */
  listOrphans(): readonly ChildFile[] {
    return orElse(() => readdirSync(this.#dir).filter((name) => name.endsWith(".json")), []).flatMap((name) => {
      const file = join(this.#dir, name);
      const child = read(file);
      if (child === undefined || !isProcessGone(child.owner)) return [];
      return [{ child, remove: () => rmSync(file, { force: true }) }];
    });
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
  // Process group 0 is our own, and 1 is that of init.
  return Number.isSafeInteger(pid) && Number(pid) > 1 && typeof processStart === "string" && typeof bootId === "string";
}
