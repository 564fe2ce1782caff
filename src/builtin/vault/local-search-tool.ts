import { type ArgsFor, type ToolFor, defineTool } from "../../tool/index.ts";
import type { LocalSearchQuery } from "./local-search.ts";
import type { LocalSearchResponse, Vault } from "./vault.ts";
import { missingVault, vaultFailure } from "./vault-reasons.ts";

const input = {
  type: "object",
  properties: {
    query: {
      type: "string",
      minLength: 1,
      maxLength: 4000,
      description: "What to search for, in plain words. Without it the newest notes are listed.",
    },
    salientTerms: {
      type: "array",
      items: { type: "string", maxLength: 200 },
      maxItems: 50,
      description: "The most important words and phrases, and their synonyms. Notes with only these are found too.",
    },
    timeRange: {
      type: "object",
      properties: {
        startTime: {
          type: ["number", "string"],
          description: "Of this or later: epoch milliseconds or ISO 8601.",
        },
        endTime: { type: ["number", "string"], description: "Of before this: epoch milliseconds or ISO 8601." },
      },
      required: ["startTime", "endTime"],
      description:
        "Only notes of this time, as get_time_range_ms returns it: by the date in their name or front matter, or else the time of the file.",
    },
    tags: {
      type: "array",
      items: { type: "string", maxLength: 200 },
      maxItems: 20,
      description: "Only notes that have all of these tags; `project` also means `project/…`.",
    },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 10, description: "Maximum number of notes." },
  },
  additionalProperties: false,
  examples: [{ query: "machine learning notes", salientTerms: ["machine learning", "机器学习"], limit: 5 }],
} as const;

const text = { type: "string" } as const;

const output = {
  type: "object",
  properties: {
    documents: {
      type: "array",
      items: {
        type: "object",
        properties: {
          path: text,
          title: text,
          snippet: text,
          highlights: { type: "array", items: { type: "array", items: { type: "integer" } } },
          score: { type: "number" },
          modified: text,
          mtime: { type: "integer" },
          tags: { type: "array", items: text },
          heading: text,
          line: { type: "integer" },
          cite: text,
        },
        required: ["path", "title", "snippet", "highlights", "score", "modified", "mtime", "tags", "line", "cite"],
      },
    },
    indexed: { type: "integer" },
  },
  required: ["documents", "indexed"],
} as const;

/** `local_search`: finds notes of the vault. */
export function localSearchTool({ vault }: { readonly vault: Vault }): ToolFor<typeof input, LocalSearchResponse> {
  return defineTool({
    name: "local_search",
    aliases: ["localSearch"],
    description:
      "Searches the user's own notes (the vault) by words, in any language, and returns the best ones with a snippet, " +
      "the heading and line it stands under, and how to cite it. Use it for anything about what the user wrote or " +
      "keeps in notes. Pass the user's question as `query` and its key words with synonyms as `salientTerms`; for a time " +
      'such as "last week" call get_time_range_ms first and pass its output as `timeRange`; with a `timeRange` and no words ' +
      "all notes of that time are listed, newest first. Read more with read_note.",
    displayName: "Vault search",
    category: "search",
    tags: ["notes", "vault", "search"],
    capabilities: ["search", "搜索", "笔记"],
    effect: "read",
    timeoutMs: 30_000,
    core: 1,
    unavailable: () => missingVault(vault),
    contracts: {
      search: {
        arguments: { query: "${input.query}", limit: "${input.count}" },
        result: {
          results: {
            each: "${item.documents}",
            as: { title: "${item.title}", url: "vault:${item.cite}", snippet: "${item.snippet}" },
          },
        },
      },
    },
    input,
    output,
    run: ({ timeRange, ...query }, { signal, progress }) =>
      vault.search({
        ...query,
        signal,
        onProgress: progress,
        ...(timeRange !== undefined && { timeRange: rangeOf(timeRange) }),
      }),
  });
}

function rangeOf({
  startTime,
  endTime,
}: NonNullable<ArgsFor<typeof input>["timeRange"]>): LocalSearchQuery["timeRange"] & object {
  return { startTime: epochOf(startTime, "startTime"), endTime: epochOf(endTime, "endTime") };
}

/** A number may come as text: models write both. */
function epochOf(provided: number | string, name: string): number {
  const epoch =
    typeof provided === "string" && !/^\s*-?\d+(?:\.\d+)?\s*$/.test(provided) ? Date.parse(provided) : Number(provided);
  // A number outside the range of dates is not a time.
  if (Math.abs(epoch) <= 8.64e15) return epoch;
  const message = `timeRange.${name} must be epoch milliseconds or ISO 8601, such as "2026-01-31T08:00:00Z"`;
  throw vaultFailure("bad_range", message, { issues: [{ path: ["timeRange", name], code: "bad_range", message }] });
}
