import { type ToolFor, defineTool } from "../../tool/index.ts";
import type { MemoryService } from "./memory-service.ts";

const input = {
  type: "object",
  properties: {
    content: { description: "What to remember: a text, or any other JSON value; at most 256 KiB." },
    metadata: { type: "object", description: "Facts about it, such as its topic, sources or title." },
    tags: {
      type: "array",
      items: { type: "string" },
      maxItems: 50,
      description: "Words to find it by, as exact matches.",
    },
    namespace: {
      type: "string",
      description: "The namespace of a user or project; the memory is found only from there. Default: `default`.",
    },
    type: { type: "string", maxLength: 100, description: "Kind of memory, such as `research`." },
  },
  required: ["content"],
  additionalProperties: false,
  examples: [{ content: "Rope of natural fibre shrinks when wet.", tags: ["rope"], metadata: { topic: "rope" } }],
} as const;

/** `memory_store`: stores a text or an object, and returns its id. */
export function memoryStoreTool({ memories }: { readonly memories: MemoryService }): ToolFor<typeof input, string> {
  return defineTool({
    name: "memory_store",
    aliases: ["memoryStore"],
    description:
      "Remembers a text or an object for later conversations and runs, and returns its id. Storing the same content " +
      "again returns the same id and adds the new metadata and tags. Use it for facts, decisions, preferences and " +
      "results worth keeping; find them again with memory_recall.",
    displayName: "Store memory",
    category: "general",
    tags: ["memory"],
    capabilities: ["remember", "记忆"],
    effect: "idempotent",
    destructive: false,
    timeoutMs: 30_000,
    input,
    output: { type: "string", description: "The id." },
    run: async (provided, { report }) => {
      const { memory, created } = await memories.store(provided);
      report({ memoryId: memory.id, created });
      return memory.id;
    },
  });
}
