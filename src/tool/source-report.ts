import { stripUnsafe } from "../text/index.ts";
import type { ResultMeta } from "./result.ts";

/** A tool that should have contributed to a result and did not, with the reason. */
export interface OmittedTool {
  readonly tool: string;
  /** The code of its failure; undefined if it was not called. */
  readonly code?: string;
  readonly message: string;
}

/** Reports which tools contributed to a result and which did not. */
export interface SourceReport {
  readonly sources: readonly string[];
  readonly synthesized: boolean;
  /** Tools that were called and failed. */
  readonly failed: readonly OmittedTool[];
  /** Tools that were not called. */
  readonly skipped: readonly OmittedTool[];
}

/** Reads from the facts of a call which tools served it; undefined if there was no choice. */
export function readSourceReport(meta: Readonly<Partial<ResultMeta>>): SourceReport | undefined {
  const sources = meta["sources"];
  if (!(Array.isArray(sources) && sources.every((item) => typeof item === "string"))) return undefined;
  return {
    sources: sources.map((name) => stripUnsafe(name)),
    synthesized: meta["synthesized"] === true,
    failed: readOmittedTools(meta["failed"]),
    skipped: readOmittedTools(meta["skipped"]),
  };
}

/** Returns only well-formed entries: a handler can report any value. */
function readOmittedTools(value: unknown): readonly OmittedTool[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  return all.flatMap((item): OmittedTool[] => {
    if (typeof item !== "object" || item === null) return [];
    const { tool, code, message } = item as Partial<Record<keyof OmittedTool, unknown>>;
    if (typeof tool !== "string" || typeof message !== "string") return [];
    const text = { tool: stripUnsafe(tool), message: stripUnsafe(message) };
    return [typeof code === "string" ? { ...text, code } : text];
  });
}

/**
 * A sentence for the reader of a result: what is missing in it because a tool failed. Undefined if nothing is missing,
 * or another tool replaced it.
 */
export function describeMissingSources(meta: Readonly<Partial<ResultMeta>>): string | undefined {
  const { failed = [] } = readSourceReport(meta) ?? {};
  if (failed.length === 0) return undefined;
  return `without ${failed.map(({ tool, code, message }) => `${tool} (${code}: ${message})`).join("; ")}`;
}
