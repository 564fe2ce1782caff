import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { nodeCrypto } from "./node-module.ts";
import { systemErrorCode } from "./system-error-code.ts";

/**
 * True if this path lies in this folder, or is the folder itself. Compares the text only; `..name` is an ordinary name.
 */
export function isInsideFolder(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The resolved location of a file or folder. */
export type RealPath =
  | { readonly kind: "inside"; readonly path: string }
  | { readonly kind: "outside" }
  | { readonly kind: "missing" };

/** Follows all links: returns the real path and whether it lies in the folder. */
export async function resolveRealPath(path: string, folder: string): Promise<RealPath> {
  try {
    const [real, realFolder] = await Promise.all([realpath(path), realpath(folder)]);
    return isInsideFolder(real, realFolder) ? { kind: "inside", path: real } : { kind: "outside" };
  } catch {
    return { kind: "missing" };
  }
}

/** Creates a folder that only this user can read; an existing one becomes private. */
export function createPrivateFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
}

/** Replaces a private file. It is complete at every moment, also for other processes that replace it. */
export function replaceFile(file: string, text: string, mode: number = 0o600): void {
  const temporary = `${file}.${process.pid}-${nodeCrypto().randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    if (mode !== 0o600) chmodSync(temporary, mode);
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** True if this user cannot write to an existing file or folder. */
export function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return ["EACCES", "EPERM", "EROFS"].includes(systemErrorCode(error) ?? "");
  }
}

/**
 * Creates the data folder of a workspace if it is missing, and excludes it from the surrounding repository: it holds
 * logins, records and results. The first writer creates it, and marks it as created here.
 */
export function createDataFolder(dir: string): void {
  mkdirSync(dir, { recursive: true });
  if (!existsSync(join(dir, originFile)) && contentOf(dir).length === 0) writeOrigin(dir);
  try {
    writeFileSync(join(dir, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    // An existing file may differ on purpose.
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
}

/**
 * A file that contains its own identity on this disk. In a folder that was cloned, copied or unpacked it is another file
 * with the same content.
 */
const originFile = "origin";

function identityOf(file: string): string {
  const { ino, birthtimeNs } = lstatSync(file, { bigint: true });
  return `${ino}.${birthtimeNs}\n`;
}

/** Renamed at the end, so that no other process reads a part of it. */
function writeOrigin(dir: string): void {
  const temporary = join(dir, `${originFile}.${nodeCrypto().randomBytes(6).toString("hex")}`);
  writeFileSync(temporary, "", { flag: "wx" });
  writeFileSync(temporary, identityOf(temporary));
  renameSync(temporary, join(dir, originFile));
}

/** The names that only the program writes: the schemas for editors may be a part of a repository. */
function contentOf(dir: string): string[] {
  return readdirSync(dir).filter((name) => !/^(?:\.gitignore|schema|origin\..*)$/.test(name));
}

/** True if a data folder was created on this disk by this program, is empty or does not exist. */
export function isOwnDataFolder(dir: string): boolean {
  if (!existsSync(dir)) return true;
  try {
    if (contentOf(dir).length === 0) return true;
    const file = join(dir, originFile);
    return readFileSync(file, "utf8") === identityOf(file);
  } catch {
    return false;
  }
}
