import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import type { MemoryService } from "./memory-service.ts";

/**
 * Input of `memory_forget`: an id, or a query and, after inspecting its matches, the confirmation token that it
 * returned.
 */
export interface MemoryForgetInput {
  readonly id?: string;
  readonly query?: string;
  readonly namespace?: string;
  readonly tags?: readonly string[];
  readonly confirm?: string;
}

/** Output of `memory_forget`. */
export interface MemoryForgetOutput {
  /** Number of memories that were deleted. */
  readonly forgotten: number;
  /** The deleted memories; absent until the deletion is confirmed. */
  readonly removed?: readonly ForgottenMemory[];
  /** The matching memories that still exist; undefined once they are deleted. */
  readonly matches?: readonly ForgottenMemory[];
  /** Token for exactly these memories: pass it as `confirm` to delete them. */
  readonly confirm?: string;
  /** True if more than a hundred memories match. They are deleted a hundred at a time: send the query once more. */
  readonly truncated?: true;
}

/** Identifies a memory that was or will be deleted. */
export interface ForgottenMemory {
  readonly id: string;
  readonly title: string;
}

const memoriesJson = {
  type: "array",
  items: {
    type: "object",
    properties: { id: { type: "string" }, title: { type: "string" } },
    required: ["id", "title"],
  },
};

const outputJson = {
  type: "object",
  properties: {
    forgotten: { type: "integer" },
    removed: memoriesJson,
    matches: memoriesJson,
    confirm: { type: "string" },
    truncated: { type: "boolean" },
  },
  required: ["forgotten"],
};

const tagsJson = {
  type: "array",
  items: { type: "string" },
  maxItems: 20,
  description: "For a query: have all of these.",
};

/** `memory_forget`: deletes memories by id, or by a query whose matches were inspected first. */
export function memoryForgetTool({
  memories,
}: {
  readonly memories: MemoryService;
}): Tool<MemoryForgetInput, MemoryForgetInput, MemoryForgetOutput> {
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
    input: fromJsonSchema<MemoryForgetInput, MemoryForgetInput>({
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
        tags: tagsJson,
        confirm: {
          type: "string",
          maxLength: 100,
          description: "For a query: the token that the call without it returned as `confirm`, such as 2-0f4c….",
        },
      },
      additionalProperties: false,
      examples: [{ query: "rope" }],
    }),
    output: fromJsonSchema<MemoryForgetOutput, MemoryForgetOutput>(outputJson),
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

function forgets({ id, confirm }: MemoryForgetInput): boolean {
  return id !== undefined || confirm !== undefined;
}
