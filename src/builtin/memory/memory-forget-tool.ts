import { type ArgsFor, type ToolOf, defineTool } from "../../tool/index.ts";
import type { MemoryService } from "./memory-service.ts";

const input = {
  type: "object",
  properties: {
    id: {
      type: "string",
      maxLength: 200,
      description: "The id that memory_store returned, or a `memory:` address.",
    },
    query: {
      type: "string",
      maxLength: 4000,
      description: "Words that the memories to forget contain, all of them.",
    },
    namespace: { type: "string", description: "For a query: the namespace to search. Default: `default`." },
    tags: {
      type: "array",
      items: { type: "string" },
      maxItems: 20,
      description: "For a query: have all of these.",
    },
    confirm: {
      type: "string",
      maxLength: 100,
      description: "For a query: the token that the call without it returned as `confirm`, such as 2-0f4c….",
    },
  },
  additionalProperties: false,
  examples: [{ query: "rope" }],
} as const;

const output = {
  type: "object",
  properties: {
    forgotten: { type: "integer" },
    removed: {
      type: "array",
      items: {
        type: "object",
        properties: { id: { type: "string" }, title: { type: "string" } },
        required: ["id", "title"],
      },
    },
    matches: {
      type: "array",
      items: {
        type: "object",
        properties: { id: { type: "string" }, title: { type: "string" } },
        required: ["id", "title"],
      },
    },
    confirm: { type: "string" },
    truncated: { type: "boolean" },
  },
  required: ["forgotten"],
} as const;

/** `memory_forget`: deletes memories by id, or by a query whose matches were inspected first. */
export function memoryForgetTool({
  memories,
}: {
  readonly memories: MemoryService;
}): ToolOf<typeof input, typeof output> {
  return defineTool({
    name: "memory_forget",
    aliases: ["memoryForget"],
    description:
      "Forgets memories: deletes them permanently. With `id` it deletes that one. With `query` it first only lists the " +
      "memories that contain all of its words and returns a token for exactly these; call it again with the token as " +
      "`confirm` to delete them. If the matches have changed since then, it refuses. `removed` lists the deleted memories.",
    displayName: "Forget memory",
    category: "general",
    tags: ["memory"],
    capabilities: ["forget", "遗忘"],
    effect: (args) => (forgets(args) ? "idempotent" : "read"),
    destructive: forgets,
    callerContent: true,
    timeoutMs: 30_000,
    input,
    output,
    run: async (args, { signal }) => {
      const { forgotten, matches, confirm, truncated } = await memories.forget({ ...args, signal });
      const shown = matches.map(({ id, title }) => ({ id, title }));
      return {
        forgotten,
        ...(forgets(args) ? { removed: shown } : { matches: shown, confirm }),
        ...(truncated && { truncated }),
      };
    },
  });
}

function forgets({ id, confirm }: ArgsFor<typeof input>): boolean {
  return id !== undefined || confirm !== undefined;
}
