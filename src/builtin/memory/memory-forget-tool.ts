import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import type { Memories } from "./memories.ts";

/** What `memory_forget` takes: an id, or a query and, after a look at what fits, how many that is. */
export interface MemoryForgetInput {
  readonly id?: string;
  readonly query?: string;
  readonly namespace?: string;
  readonly tags?: readonly string[];
  readonly confirm?: number;
}

/** What `memory_forget` gives. */
export interface MemoryForgetOutput {
  /** How many memories are gone now. */
  readonly forgotten: number;
  /** The memories that are gone now; absent while nothing is confirmed. */
  readonly removed?: readonly ForgottenMemory[];
  /** The memories that fit and are still there; absent when they are gone. */
  readonly matches?: readonly ForgottenMemory[];
  /** Pass this as `confirm` to forget them. */
  readonly confirm?: number;
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
    confirm: { type: "integer" },
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
      "all of its words; call it again with `confirm` set to their number to forget them. `removed` tells which are gone.",
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
        confirm: { type: "integer", minimum: 0, description: "For a query: how many memories are to be forgotten." },
      },
      additionalProperties: false,
      examples: [{ query: "rope" }],
    }),
    output: fromJsonSchema<MemoryForgetOutput, MemoryForgetOutput>(outputJson),
    run: async (args, { signal }) => {
      const { forgotten, matches, truncated } = await memories.forget({ ...args, signal });
      const shown = matches.map(({ id, title }) => ({ id, title }));
      return {
        forgotten,
        ...(forgets(args) ? { removed: shown } : { matches: shown, confirm: shown.length }),
        ...(truncated && { truncated }),
      };
    },
  });
}

function forgets({ id, confirm }: MemoryForgetInput): boolean {
  return id !== undefined || confirm !== undefined;
}
