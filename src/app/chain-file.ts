import { readChain } from "../chain/index.ts";
import { isMap } from "../schema/index.ts";
import { type Position, type Problem, parseYaml } from "../text/index.ts";

/** What is known of a file of the folder of chains. */
export interface ChainFile {
  /** Relative to the workspace, with `/` on every system. */
  readonly name: string;
  readonly path: string;
  stamp: string;
  /** Undefined where it cannot be read; `problem` says why. */
  readonly text: string | undefined;
  readonly problem: Problem | undefined;
  /** What its chain is called, if that much can be read. */
  readonly chain: string | undefined;
  /** The last version that worked. */
  good: { readonly text: string; readonly chain: string } | undefined;
  /** What is wrong with the present version, while the last good one is kept. */
  broken: readonly Problem[] | undefined;
}

/** Files of chains may be this large. */
const maxBytes = 1024 * 1024;

/** A name as nearly all files write it: plain, at the beginning of a line, where only a key of the file can stand. */
const plainName = /^name:[ \t]+(?!(?:true|false|null)\b)([A-Za-z_][\w./-]*)[ \t]*(?:[ \t]#.*)?\r?$/m;

/** What the chain in a text is called; undefined where it does not say so in words. */
export function nameIn(text: string, file: string): string | undefined {
  const written = plainName.exec(text)?.[1];
  if (written !== undefined) return written;
  const { value } = parseYaml(text, { file, maxBytes });
  const name = isMap(value) ? value["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Where the name of a file's chain stands. */
export function placeOfName({ name, text = "" }: ChainFile): Position {
  return parseYaml(text, { file: name, maxBytes }).locate(["name"]);
}

/** What is wrong with the form of a file, whatever its tools are. */
export function problemsIn({ name, text, problem }: ChainFile): readonly Problem[] {
  if (problem !== undefined) return [problem];
  return text === undefined ? [] : readChain(text, { file: name }).problems;
}
