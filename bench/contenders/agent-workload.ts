import assert from "node:assert/strict";
import type { Model, ModelAnswer } from "../../src/model/index.ts";
import { type Found, type Parsed, description, name, schema } from "./workload.ts";

/** How long a conversation is. */
export interface AgentTask {
  /** Answers of the model that call tools; one more answers the question. */
  readonly turns: number;
  /** Tool calls of each of them. */
  readonly calls: number;
}

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as a model sends them. */
  readonly input: string;
}

export const instructions = "You know the release notes. Look up what you are asked for, then answer.";
export const question = "What changed since the first release?";
export const answer = "A great deal.";

/** What the model says in a conversation, and what is known of how it went. */
export class AgentScript {
  readonly task: AgentTask;
  /** The calls of each turn. */
  readonly turns: readonly (readonly ScriptedCall[])[];
  /** How often the tool ran. */
  ran = 0;
  /** Whether the model looks for the results in what it is sent: that is no part of what is measured. */
  looks = false;
  #asked = 0;

  constructor(task: AgentTask, inputOf: (turn: number, index: number) => unknown = usualInput) {
    this.task = task;
    this.turns = Array.from({ length: task.turns }, (_, turn) =>
      Array.from({ length: task.calls }, (_call, index) => ({
        id: `call_${turn}_${index}`,
        name,
        input: JSON.stringify(inputOf(turn, index)),
      })),
    );
  }

  begin(): void {
    this.#asked = 0;
    this.ran = 0;
  }

  /** The model is asked; gives the number of its turn, which is that of all turns when it has to answer. */
  next(sent: unknown): number {
    const turn = this.#asked++;
    if (turn > this.task.turns) throw new Error("the model was asked once more than there are answers");
    if (this.looks) this.#look(turn, JSON.stringify(sent));
    return turn;
  }

  /** The tool that the model calls: it does next to nothing. */
  readonly find = async ({ query, limit }: Parsed): Promise<Found> => {
    this.ran++;
    return { first: noteOn(query), found: limit };
  };

  #look(turn: number, sent: string): void {
    for (const { input } of this.turns.slice(0, turn).flat()) {
      const { query } = JSON.parse(input) as { readonly query: string };
      assert.ok(sent.includes(noteOn(query)), `the model was not told what a call gave: ${query}`);
    }
  }
}

/** In the result of a call, and nowhere else. */
function noteOn(query: string): string {
  return `a note on ${query}`;
}

/** No two calls are the same. */
function usualInput(turn: number, index: number): unknown {
  return { query: `release ${turn}.${index}`, limit: 1 + ((turn + index) % 100) };
}

export const tool = { name, description, schema } as const;

const usage: ModelAnswer["usage"] = {
  inputTokens: { total: 1000, noCache: 1000, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 50, text: 50, reasoning: undefined },
};

/** The script as a model of the AI SDK's interface; its answers are made before anything is measured. */
export function scriptedModel(script: AgentScript): Model {
  const answers = [...script.turns.map(callsOf), last];
  return {
    specificationVersion: "v4",
    provider: "script",
    modelId: "scripted",
    supportedUrls: {},
    // Who gets an answer may keep it, or change it.
    doGenerate: async ({ prompt }) => ({ ...(answers[script.next(prompt)] as ModelAnswer) }),
    doStream: async ({ prompt }) => ({ stream: streamOf(answers[script.next(prompt)] as ModelAnswer) }),
  };
}

function streamOf({
  content,
  finishReason,
  usage: used,
}: ModelAnswer): Awaited<ReturnType<Model["doStream"]>>["stream"] {
  return new ReadableStream({
    start(controller) {
      for (const [index, part] of content.entries()) {
        if (part.type === "tool-call") controller.enqueue(part);
        if (part.type === "text") controller.enqueue({ type: "text-delta", id: String(index), delta: part.text });
      }
      controller.enqueue({ type: "finish", finishReason, usage: used });
      controller.close();
    },
  });
}

function callsOf(calls: readonly ScriptedCall[]): ModelAnswer {
  return {
    content: calls.map(({ id, name: toolName, input }) => ({ type: "tool-call", toolCallId: id, toolName, input })),
    finishReason: { unified: "tool-calls", raw: "tool_calls" },
    usage,
    warnings: [],
  };
}

const last: ModelAnswer = {
  content: [{ type: "text", text: answer }],
  finishReason: { unified: "stop", raw: "stop" },
  usage,
  warnings: [],
};
