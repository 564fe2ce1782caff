import { type LeftOutTool, type ToolResult, toldSources } from "../../tool/index.ts";

/** Where a result came from, in the written form. */
export interface SourceMeta {
  readonly source: string;
  readonly synthesized: boolean;
  readonly source_count: number;
  readonly sources: readonly string[];
  /** Tools that were asked as well, and failed. */
  readonly failed?: readonly LeftOutTool[];
}

/** Where a result came from, whether tools were chosen from or there was only one: the `_meta` of a written result. */
export function toSourceMeta({ tool, success, meta }: ToolResult): SourceMeta {
  const told = toldSources(meta);
  const sources = told?.sources ?? (success ? [tool] : []);
  const failed = told?.failed ?? [];
  return {
    source: meta.source,
    synthesized: told?.synthesized ?? false,
    source_count: sources.length,
    sources,
    ...(failed.length > 0 && { failed }),
  };
}
