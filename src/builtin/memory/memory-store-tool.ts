import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import type { Memories } from "./memories.ts";
import type { Remembered } from "./new-memory.ts";

/** `memory_store`: remembers a text or an object, and gives its id. */
export function memoryStoreTool({ memories }: { readonly memories: Memories }): Tool<Remembered, Remembered, string> {
  return defineTool({
    name: "memory_store",
    aliases: ["memoryStore"],
    description:
      "Remembers a text or an object for later conversations and runs, and gives its id. Storing the same content " +
      "again gives the same id and adds the new metadata and tags. Use it for facts, decisions, preferences and " +
      "results worth keeping; find them again with memory_recall.",
    displayName: "Store memory",
    category: "general",
    tags: ["memory"],
    capabilities: ["remember", "记忆"],
    effect: "idempotent",
    destructive: false,
    timeoutMs: 30_000,
    input: fromJsonSchema<Remembered, Remembered>({
      type: "object",
      properties: {
        content: { description: "What to remember: a text, or any other JSON value; at most 256 KiB." },
        metadata: { type: "object", description: "Facts about it, such as its topic, sources or title." },
        tags: { type: "array", items: { type: "string" }, maxItems: 50, description: "Words to find it by, exactly." },
        namespace: {
          type: "string",
          description: "Whose or which project's memory it is; it is found only from there. `default` when left out.",
        },
        type: { type: "string", maxLength: 100, description: "What kind of memory it is, such as `research`." },
      },
      required: ["content"],
      additionalProperties: false,
      examples: [{ content: "Rope of natural fibre shrinks when wet.", tags: ["rope"], metadata: { topic: "rope" } }],
    }),
    output: fromJsonSchema<string, string>({ type: "string", description: "The id." }),
    run: async (given, { report }) => {
      const { memory, created } = await memories.store(given);
      report({ memoryId: memory.id, created });
      return memory.id;
    },
  });
}
