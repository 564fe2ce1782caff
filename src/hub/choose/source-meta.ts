import type { ToolResult } from "../../tool/index.ts";

/** Where a result came from, in the written form. */
export interface SourceMeta {
  readonly source: string;
  readonly synthesized: boolean;
  readonly source_count: number;
  readonly sources: readonly string[];
}

/** Where a result came from, whether tools were chosen from or there was only one: the `_meta` of a written result. */
export function toSourceMeta({ tool, success, meta }: ToolResult): SourceMeta {
  const told = meta["sources"];
  // What chooses among tools reports names.
  const sources = Array.isArray(told) ? (told as readonly string[]) : success ? [tool] : [];
  return { source: meta.source, synthesized: meta["synthesized"] === true, source_count: sources.length, sources };
}
