import { fail } from "../base/index.ts";
import type { ToolResult } from "../tool/index.ts";
import type { RunProgram } from "../run/index.ts";
import { chooseTools } from "./loop/choose-tools.ts";
import { runAgentLoop } from "./loop/agent-loop.ts";
import type { AgentRun } from "./run/agent-run.ts";
import type { AgentSpec } from "./run/agent-spec.ts";
import type { AgentPrompt, Runner, RunnerAnswer } from "./run/runner.ts";
import { runnerNames } from "./runners/options/runner-options.ts";
import { callToolForRunner } from "./runners/call-tool-for-runner.ts";
import { systemPrompt, toolRules, userMessage } from "./runners/prompt-messages.ts";

/** Options of {@link RunnerContext.generate}. */
export interface RunnerGenerateOptions {
  /** Key in the journal, unique within the run. Default: `main`. */
  readonly part?: string;
  /** Sent to the model after the agent's instructions. */
  readonly rules?: readonly string[];
  /** Default: the prompt of the run. */
  readonly text?: string;
  /** True if the model may call the agent's tools, up to `maxRounds`. */
  readonly tools?: boolean;
}

/** A call that {@link RunnerContext.callTool} makes. */
export interface RunnerToolCall {
  /** Key in the journal, unique within the run. */
  readonly name: string;
  readonly tool: string;
  readonly args?: unknown;
}

/** Context of a custom runner: `yield*` returns the outcome of each operation. */
export interface RunnerContext {
  readonly spec: AgentSpec;
  /** Requests the model, with the conversation history, until it answers with text. Throws if it does not. */
  generate(conversation?: RunnerGenerateOptions): RunProgram<string>;
  /** Calls one of the agent's tools; if the rules require approval, the run is suspended here. */
  callTool(call: RunnerToolCall): RunProgram<ToolResult>;
  /** Adds a notice for the user, with the code `custom_notice`; it is in `notices` of the result. */
  notice(text: string): void;
}

/**
 * A custom way for a model to use tools, for `createAgent` and `agent()` of a workspace. A run that was suspended or whose
 * process is gone resumes by executing the runner again from its start, with the recorded outcomes replayed. A runner
 * must therefore be deterministic: it gets facts about the world, such as the time, by calling tools.
 *
 * @example
 * ```ts
 * const twice: CustomRunner = {
 *   name: "twice",
 *   *run(work, { text }) {
 *     const draft = yield* work.generate({ part: "draft", tools: true });
 *     return { answer: yield* work.generate({ text: `Make this shorter, as an answer to "${text}":\n${draft}` }) };
 *   },
 * };
 * ```
 */
export interface CustomRunner {
  /** Must differ from the names of the built-in runners. */
  readonly name: string;
  /** It can answer without a model. */
  readonly worksWithoutModel?: boolean;
  run(work: RunnerContext, userPrompt: AgentPrompt): RunProgram<RunnerAnswer>;
}

/** Converts a custom runner to a {@link Runner}; throws if it has the name of a built-in runner. */
export function fromCustomRunner(own: CustomRunner): Runner {
  const { name, worksWithoutModel = false } = own;
  if (runnerNames.includes(name)) {
    const message = `a runner named ${JSON.stringify(name)} already exists; choose another name`;
    throw fail(message, { code: "validation_error" });
  }
  return {
    name,
    worksAlone: worksWithoutModel,
    run: (run, userPrompt) => own.run(workOf(run, userPrompt), userPrompt),
  };
}

function workOf(run: AgentRun, userPrompt: AgentPrompt): RunnerContext {
  const used = new Set<string>();
  // The journal has one outcome under each key.
  const once = (name: string): void => {
    if (used.has(name)) throw new TypeError(`the runner ${run.spec.runner} uses ${name} twice; each must be unique`);
    used.add(name);
  };
  return {
    spec: run.spec,
    generate: ({ part = "main", ...conversation } = {}) => {
      once(`part ${JSON.stringify(part)}`);
      return generateForRunner(run, userPrompt, { ...conversation, part });
    },
    callTool: ({ name, tool, args = {} }) => {
      once(`name ${JSON.stringify(name)}`);
      return callToolForRunner(run, { turnRef: { part: "own", round: 1 }, name, tool, args });
    },
    notice: (text) => run.notice({ code: "custom_notice", params: { text } }),
  };
}

type RunnerGenerateRequest = RunnerGenerateOptions & { readonly part: string };

function* generateForRunner(
  run: AgentRun,
  userPrompt: AgentPrompt,
  { part, ...conversation }: RunnerGenerateRequest,
): RunProgram<string> {
  const { rules = [], text = userPrompt.text } = conversation;
  const offered = conversation.tools === true ? chooseTools(run, { ...userPrompt, text }).offered : undefined;
  const tools = offered?.size === 0 ? undefined : offered;
  const messages = [...userPrompt.history, userMessage(userPrompt, run.family.userMessage(text, tools !== undefined))];
  run.messages = messages;
  const prompt = systemPrompt(run, tools === undefined ? rules : [...rules, ...toolRules]);
  const system = run.family.systemPrompt(prompt, tools?.definitions ?? []);
  const maxRounds = tools === undefined ? 0 : run.spec.maxRounds;
  return yield* runAgentLoop(run, { part, system, messages, tools, maxRounds });
}
