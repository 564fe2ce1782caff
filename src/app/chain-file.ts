import { inputLimits } from "../base/index.ts";
import { parseChain } from "../chain/index.ts";
import { isRecord } from "../schema/index.ts";
import { type SourceRange, type Problem, parseYaml } from "../text/index.ts";

/** State of a file in the folder of chains. */
export interface ChainFile {
  /** Relative to the workspace, with `/` on every system. */
  readonly name: string;
  readonly path: string;
  stamp: string;
  /** Undefined if it cannot be read; `problem` says why. */
  readonly text: string | undefined;
  readonly problem: Problem | undefined;
  /** Name of its chain, if it can be read. */
  readonly chain: string | undefined;
  /** The last valid version. */
  good: { readonly text: string; readonly chain: string } | undefined;
  /** Problems of the present version, while the last valid one stays in use. */
  broken: readonly Problem[] | undefined;
}

/** Maximum size of a chain file. */
const { chainFileBytes: maxBytes } = inputLimits;

/** A name as nearly all files write it: plain, at the beginning of a line, where only a top-level key can be. */
const plainName = /^name:[ \t]+(?!(?:true|false|null)\b)([A-Za-z_][\w./-]*)[ \t]*(?:[ \t]#.*)?\r?$/m;

/** Name of the chain in a text; undefined if it is not a plain string. */
export function chainNameIn(text: string, file: string): string | undefined {
  const written = plainName.exec(text)?.[1];
  if (written !== undefined) return written;
  const { value } = parseYaml(text, { file, maxBytes });
  const name = isRecord(value) ? value["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Position of the chain's name in a file. */
export function chainNamePosition({ name, text = "" }: ChainFile): SourceRange {
  return parseYaml(text, { file: name, maxBytes }).locate(["name"]);
}

/** Problems in the form of a file, independent of its tools. */
export function chainFileProblems({ name, text, problem }: ChainFile): readonly Problem[] {
  if (problem !== undefined) return [problem];
  return text === undefined ? [] : parseChain(text, { file: name }).problems;
}
