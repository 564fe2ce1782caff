import { stripUnsafe } from "../text/index.ts";
import type { ResultMeta } from "./result.ts";

/** A tool that was to give a part of a result and did not, and why. */
export interface LeftOutTool {
  readonly tool: string;
  /** The code of its failure; absent where it was not called. */
  readonly code?: string;
  readonly message: string;
}

/** What a choice among tools told of a result: whose it is, and who is not in it. */
export interface ToldSources {
  readonly sources: readonly string[];
  readonly synthesized: boolean;
  /** Those that were called and failed. */
  readonly failed: readonly LeftOutTool[];
  /** Those that were not called. */
  readonly passedOver: readonly LeftOutTool[];
}

/** Reads from the facts of a call who served it; undefined where there was nothing to choose from. */
export function toldSources(meta: Readonly<Partial<ResultMeta>>): ToldSources | undefined {
  const sources = meta["sources"];
  if (!isTexts(sources)) return undefined;
  return {
    sources: sources.map((name) => stripUnsafe(name)),
    synthesized: meta["synthesized"] === true,
    failed: leftOut(meta["failed"]),
    passedOver: leftOut(meta["passedOver"]),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Whatever a handler reports there: only what has the form is told on. */
function leftOut(value: unknown): readonly LeftOutTool[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  return all.flatMap((item): LeftOutTool[] => {
    if (typeof item !== "object" || item === null) return [];
    const { tool, code, message } = item as Partial<Record<keyof LeftOutTool, unknown>>;
    if (typeof tool !== "string" || typeof message !== "string") return [];
    const said = { tool: stripUnsafe(tool), message: stripUnsafe(message) };
    return [typeof code === "string" ? { ...said, code } : said];
  });
}

/**
 * A sentence for who reads the result: what is missing in it because a tool failed. Undefined where nothing is, and
 * where another stood in for it.
 */
export function missingParts(meta: Readonly<Partial<ResultMeta>>): string | undefined {
  const { failed = [] } = toldSources(meta) ?? {};
  if (failed.length === 0) return undefined;
  return `without ${failed.map(({ tool, code, message }) => `${tool} (${code}: ${message})`).join("; ")}`;
}
