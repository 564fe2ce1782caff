import { fail } from "../base/index.ts";
import type { ToolResult } from "../tool/index.ts";
import type { Flow } from "./flow/flow.ts";
import { chooseTools } from "./loop/choose-tools.ts";
import { converse } from "./loop/converse.ts";
import type { AgentRun } from "./run/agent-run.ts";
import type { AgentSpec } from "./run/agent-spec.ts";
import type { AgentQuestion, Runner, RunnerAnswer } from "./runner.ts";
import { runnerNames } from "./runners/options/runner-options.ts";
import { ownCall } from "./runners/own-call.ts";
import { systemPrompt, toolRules } from "./runners/system-prompt.ts";
import { userMessage } from "./runners/user-message.ts";

/** What {@link RunnerWork.ask} asks the model. */
export interface RunnerTalk {
  /** Under this it is kept: another for each of a run. `main` where absent. */
  readonly part?: string;
  /** Told to the model behind the agent's instructions. */
  readonly rules?: readonly string[];
  /** The question where absent. */
  readonly text?: string;
  /** Whether it may call the agent's tools, up to `maxRounds`. */
  readonly tools?: boolean;
}

/** A call that {@link RunnerWork.call} makes. */
export interface RunnerCall {
  /** Under this it is kept: another for each of a run. */
  readonly name: string;
  readonly tool: string;
  readonly args?: unknown;
}

/** What a runner of one's own works with: by `yield*` it is told what came of what it wants. */
export interface RunnerWork {
  readonly spec: AgentSpec;
  /** Asks the model, which knows what was said before, until it answers in words. Throws where it does not. */
  ask(talk?: RunnerTalk): Flow<string>;
  /** Calls one of the agent's tools; where the rules ask a person, the run waits here. */
  call(call: RunnerCall): Flow<ToolResult>;
  /** Tells people what they should know; it is in `notes` of the result. */
  note(text: string): void;
}

/**
 * A way of one's own for a model to use tools, for `createAgent` and `agent()` of a workspace. A run that waited or whose
 * process is gone goes on by being run again from its beginning, and is told what came of all that it wanted before. So a
 * runner has to go the same way each time: what it needs of the world, such as the time, it gets by calling tools.
 *
 * @example
 * ```ts
 * const twice: OwnRunner = {
 *   name: "twice",
 *   *run(work, { text }) {
 *     const draft = yield* work.ask({ part: "draft", tools: true });
 *     return { answer: yield* work.ask({ text: `Make this shorter, as an answer to "${text}":\n${draft}` }) };
 *   },
 * };
 * ```
 */
export interface OwnRunner {
  /** None of a runner that there is. */
  readonly name: string;
  /** It can answer without a model. */
  readonly worksAlone?: boolean;
  run(work: RunnerWork, question: AgentQuestion): Flow<RunnerAnswer>;
}

/** A runner of one's own as those that there are; throws where it has the name of one. */
export function toRunner(own: OwnRunner): Runner {
  const { name, worksAlone = false } = own;
  if (runnerNames.includes(name)) {
    const message = `there is a runner ${JSON.stringify(name)} already: give your own another name`;
    throw fail(message, { code: "validation_error" });
  }
  return { name, worksAlone, run: (run, question) => own.run(workOf(run, question), question) };
}

function workOf(run: AgentRun, question: AgentQuestion): RunnerWork {
  const used = new Set<string>();
  // The journal has one outcome under each.
  const once = (what: string): void => {
    if (used.has(what)) throw new TypeError(`the runner ${run.spec.runner} has two of ${what}: each needs another`);
    used.add(what);
  };
  return {
    spec: run.spec,
    ask: ({ part = "main", ...talk } = {}) => {
      once(`part ${JSON.stringify(part)}`);
      return askModel(run, question, { ...talk, part });
    },
    call: ({ name, tool, args = {} }) => {
      once(`name ${JSON.stringify(name)}`);
      return ownCall(run, { place: { part: "own", round: 1 }, name, tool, args });
    },
    note: (text) => run.note(text),
  };
}

type Talk = RunnerTalk & { readonly part: string };

function* askModel(run: AgentRun, question: AgentQuestion, { part, ...talk }: Talk): Flow<string> {
  const { rules = [], text = question.text } = talk;
  const offered = talk.tools === true ? chooseTools(run).offered : undefined;
  const tools = offered?.size === 0 ? undefined : offered;
  const messages = [...question.history, userMessage(question, run.family.userMessage(text, tools !== undefined))];
  run.messages = messages;
  const prompt = systemPrompt(run, tools === undefined ? rules : [...rules, ...toolRules]);
  const system = run.family.systemPrompt(prompt, tools?.definitions ?? []);
  const maxRounds = tools === undefined ? 0 : run.spec.maxRounds;
  return yield* converse(run, { part, system, messages, tools, maxRounds });
}
