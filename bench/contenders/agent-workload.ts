import assert from "node:assert/strict";
import type { Model, ModelGenerateResult } from "../../src/model/index.ts";
import { type Found, type Parsed, description, name, schema } from "./workload.ts";

/** Length of a conversation. */
export interface AgentTask {
  /** Number of model responses that call tools; one more response is the final answer. */
  readonly turns: number;
  /** Number of tool calls per response. */
  readonly calls: number;
}

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** Arguments in the form that a model sends. */
  readonly input: string;
}

export const instructions = "You know the release notes. Look up the requested facts, then answer.";
export const promptText = "What changed since the first release?";
export const answer = "A great deal.";

/** Script of the model responses in a conversation, with counters to check its course. */
export class AgentScript {
  readonly task: AgentTask;
  /** The calls of each turn. */
  readonly turns: readonly (readonly ScriptedCall[])[];
  /** Number of executions of the tool. */
  ran = 0;
  /** If true, the model checks that its requests contain the results; this is not part of the measurement. */
  looks = false;
  #requested = 0;

  constructor(task: AgentTask, inputOf: (turn: number, index: number) => unknown = defaultInput) {
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
    this.#requested = 0;
    this.ran = 0;
  }

  /** Handles a model request; returns the index of the turn, which equals the number of turns for the final answer. */
  next(sent: unknown): number {
    const turn = this.#requested++;
    if (turn > this.task.turns) throw new Error("the model received more requests than the script has responses");
    if (this.looks) this.#look(turn, JSON.stringify(sent));
    return turn;
  }

  /** The tool that the model calls; it does almost nothing. */
  readonly find = async ({ query, limit }: Parsed): Promise<Found> => {
    this.ran++;
    return { first: noteOn(query), found: limit };
  };

  #look(turn: number, sent: string): void {
    for (const { input } of this.turns.slice(0, turn).flat()) {
      const { query } = JSON.parse(input) as { readonly query: string };
      assert.ok(sent.includes(noteOn(query)), `the model did not receive the result of a call: ${query}`);
    }
  }
}

/** Text that occurs in the result of a call and nowhere else. */
function noteOn(query: string): string {
  return `a note on ${query}`;
}

/** Default arguments; no two calls are identical. */
function defaultInput(turn: number, index: number): unknown {
  return { query: `release ${turn}.${index}`, limit: 1 + ((turn + index) % 100) };
}

export const tool = { name, description, schema } as const;

const usage: ModelGenerateResult["usage"] = {
  inputTokens: { total: 1000, noCache: 1000, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 50, text: 50, reasoning: undefined },
};

/**
 * Exposes the script through the model interface of the AI SDK; the responses are created before anything is measured.
 */
export function scriptedModel(script: AgentScript): Model {
  const answers = [...script.turns.map(callsOf), last];
  return {
    specificationVersion: "v4",
    provider: "script",
    modelId: "scripted",
    supportedUrls: {},
    // Copied, because the caller may hold or change the response.
    doGenerate: async ({ prompt }) => ({ ...(answers[script.next(prompt)] as ModelGenerateResult) }),
    doStream: async ({ prompt }) => ({ stream: streamOf(answers[script.next(prompt)] as ModelGenerateResult) }),
  };
}

function streamOf({
  content,
  finishReason,
  usage: used,
}: ModelGenerateResult): Awaited<ReturnType<Model["doStream"]>>["stream"] {
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

function callsOf(calls: readonly ScriptedCall[]): ModelGenerateResult {
  return {
    content: calls.map(({ id, name: toolName, input }) => ({ type: "tool-call", toolCallId: id, toolName, input })),
    finishReason: { unified: "tool-calls", raw: "tool_calls" },
    usage,
    warnings: [],
  };
}

const last: ModelGenerateResult = {
  content: [{ type: "text", text: answer }],
  finishReason: { unified: "stop", raw: "stop" },
  usage,
  warnings: [],
};
