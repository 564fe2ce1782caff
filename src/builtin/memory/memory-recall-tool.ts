import type { JsonOutput } from "../../schema/index.ts";
import type { MemoryHit } from "../../store/index.ts";
import { type ToolFor, defineTool } from "../../tool/index.ts";
import { type MemoryService, memoryScheme } from "./memory-service.ts";
import { memoryFailure } from "./memory-reasons.ts";

const input = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 4000, description: "What to recall, in plain words." },
    limit: { type: "integer", minimum: 1, maximum: 50, description: "Maximum number of results. Default: 5." },
    count: { type: "integer", minimum: 1, maximum: 50, description: "The same as limit." },
    max_results: { type: "integer", minimum: 1, maximum: 50, description: "The same as limit." },
    namespace: { type: "string", description: "The namespace of a user or project. Default: `default`." },
    tags: {
      type: "array",
      items: { type: "string" },
      maxItems: 20,
      description: "Only memories that have all of these tags.",
    },
    must_find: {
      type: "boolean",
      default: false,
      description: "Fail if nothing is found; for a fallback, so that its caller gets the reason why it was needed.",
    },
  },
  required: ["query"],
  additionalProperties: false,
  examples: [{ query: "rope", limit: 3 }],
} as const;

const output = {
  type: "object",
  properties: {
    results: {
      type: "array",
      items: {
        type: "object",
        properties: {
          title: { type: "string" },
          url: { type: "string" },
          snippet: { type: "string" },
          id: { type: "string" },
          score: { type: "number" },
          type: { type: "string" },
          tags: { type: "array", items: { type: "string" } },
          metadata: { type: "object" },
          created_at: { type: "string" },
          updated_at: { type: "string" },
        },
        required: ["title", "url", "snippet", "id", "score", "tags", "metadata", "created_at", "updated_at"],
      },
    },
    provider: { const: "memory" },
  },
  required: ["results", "provider"],
} as const;

/** Has the shape of a web search result, so that either tool can replace the other. */
export type MemoryRecallOutput = JsonOutput<typeof output>;

/** `memory_recall`: finds memories by their words. */
export function memoryRecallTool({
  memories,
}: {
  readonly memories: MemoryService;
}): ToolFor<typeof input, MemoryRecallOutput> {
  return defineTool({
    name: "memory_recall",
    aliases: ["memoryRecall"],
    description:
      "Finds memories stored with memory_store by their words, in any language, best match first, with snippets and " +
      "addresses (`memory:…`) that web_fetch reads in full. Use it before asking the user for something that they may " +
      "have mentioned already, or when web search is unavailable.",
    displayName: "Recall memory",
    category: "search",
    tags: ["memory", "search"],
    capabilities: ["search", "recall", "搜索", "记忆"],
    effect: "read",
    callerContent: true,
    timeoutMs: 30_000,
    input,
    output,
    run: async ({ limit, count, max_results, must_find: mustFind, ...recallQuery }, { signal }) => {
      const hits = await memories.recall({ ...recallQuery, limit: limit ?? count ?? max_results ?? 5, signal });
      if (mustFind && hits.length === 0) throw memoryFailure("nothing_found", "no memory matches the query");
      const best = hits[0]?.score ?? 1;
      return { results: hits.map((hit) => resultOf(hit, best)), provider: "memory" as const };
    },
  });
}

function resultOf({ memory, score, snippet }: MemoryHit, best: number): MemoryRecallOutput["results"][number] {
  const { id, title, type, tags, metadata, createdAt, updatedAt } = memory;
  return {
    title,
    url: memoryScheme + id,
    snippet,
    id,
    score: Number((score / best).toFixed(4)),
    ...(type !== undefined && { type }),
    tags,
    metadata,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
