import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import type { Memories } from "./memories.ts";

/** What `memory_forget` takes: an id, or a query and, after a look at what fits, the sign that it gave. */
export interface MemoryForgetInput {
  readonly id?: string;
  readonly query?: string;
  readonly namespace?: string;
  readonly tags?: readonly string[];
  readonly confirm?: string;
}

/** What `memory_forget` gives. */
export interface MemoryForgetOutput {
  /** How many memories are gone now. */
  readonly forgotten: number;
  /** The memories that are gone now; absent while nothing is confirmed. */
  readonly removed?: readonly ForgottenMemory[];
  /** The memories that fit and are still there; absent when they are gone. */
  readonly matches?: readonly ForgottenMemory[];
  /** Stands for just these memories: pass it as `confirm` to forget them. */
  readonly confirm?: string;
  /** More fit than the hundred that are forgotten at a time: ask once more. */
  readonly truncated?: true;
}

/** By what a memory is known that is gone, or will be. */
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

/** `memory_forget`: forgets by id, or by a query that somebody looked at first. */
export function memoryForgetTool({
  memories,
}: {
  readonly memories: Memories;
}): Tool<MemoryForgetInput, MemoryForgetInput, MemoryForgetOutput> {
  return defineTool({
    name: "memory_forget",
    aliases: ["memoryForget"],
    description:
      "Forgets memories for good. With `id` it forgets that one. With `query` it first only tells which memories have " +
      "all of its words, and gives a sign that stands for just these; call it again with the sign as `confirm` to forget " +
      "them. Where others fit by then, it refuses. `removed` tells which are gone.",
    displayName: "Forget memory",
    category: "general",
    tags: ["memory"],
    capabilities: ["forget", "遗忘"],
    effect: (args) => (forgets(args) ? "idempotent" : "read"),
    destructive: forgets,
    timeoutMs: 30_000,
    input: fromJsonSchema<MemoryForgetInput, MemoryForgetInput>({
      type: "object",
      properties: {
        id: { type: "string", maxLength: 200, description: "The id that memory_store gave, or a `memory:` address." },
        query: { type: "string", maxLength: 4000, description: "Words that the memories to forget have, all of them." },
        namespace: { type: "string", description: "For a query: where to look; `default` when left out." },
        tags: {
          type: "array",
          items: { type: "string" },
          maxItems: 20,
          description: "For a query: have all of these.",
        },
        confirm: {
          type: "string",
          maxLength: 100,
          description: "For a query: the sign that the look without it gave as `confirm`, such as 2-0f4c….",
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
