import { type Stats, readFileSync, statSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { canonicalJson, isInsideFolder, nodeCrypto } from "../base/index.ts";

/**
 * The files that a command line may name, relative to its working folder: its program, if it is a path, and each
 * argument or value of an option. They need not exist. With the folders of its scripts, which end with a separator: a
 * script can load the code beside it.
 */
export function commandFiles([program = "", ...args]: readonly string[], cwd: string): string[] {
  // A program without a slash is found in PATH.
  const words = [/[\\/]/.test(program) ? program : "", ...args.map(valueOf)];
  const files = words.filter((word) => word !== "").map((word) => resolve(cwd, word));
  return [...new Set([...files, ...files.filter(isCodeFile).map((file) => `${dirname(file)}${sep}`)])];
}

/** The value in `--option=value`; none in `--option`. */
function valueOf(word: string): string {
  return word.startsWith("-") ? word.replace(/^[^=]*=?/s, "") : word;
}

/** The name of a file with code. */
export const codeFile: RegExp = /\.(?:bash|cjs|cts|js|jsx|lua|mjs|mts|php|pl|ps1|py|rb|sh|ts|tsx|zsh)$/i;

function isCodeFile(path: string): boolean {
  return codeFile.test(path);
}

/** Larger files are compared by their size and time. */
const maxBytes = 16 * 1024 * 1024;

/**
 * A hash of the scripts of the workspace that a command runs, as they are now: files that it names and that are code or
 * executable, without those of packages. Undefined if it names none.
 */
export function hashScripts(
  words: readonly string[],
  { cwd, root }: { readonly cwd: string; readonly root: string },
): string | undefined {
  const scripts = commandFiles(words, cwd).flatMap((path) => {
    if (!isInsideFolder(path, root) || path.split(sep).includes("node_modules")) return [];
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && isScript(path, found) ? [[relative(root, path), contentOf(path, found)]] : [];
  });
  if (scripts.length === 0) return undefined;
  return nodeCrypto().createHash("sha256").update(canonicalJson(scripts)).digest("hex");
}

function isScript(path: string, { mode }: Stats): boolean {
  return isCodeFile(path) || (mode & 0o111) !== 0;
}

function contentOf(path: string, { size, mtimeMs }: Stats): string {
  return size > maxBytes ? `${size} ${mtimeMs}` : readFileSync(path, "latin1");
}
