import { textMessage } from "../../../events/message.ts";
import { formatPath } from "../../../../base/index.ts";
import { findJson, modelFailure } from "../../../../model/index.ts";
import { parseArguments } from "../../../../schema/index.ts";
import { cutText, fencedDataRule, fenceData } from "../../../../text/index.ts";
import type { TurnRef } from "../../../events/agent-event.ts";
import type { RunProgram } from "../../../../run/index.ts";
import type { AgentRun } from "../../../run/agent-run.ts";
import { requestJson } from "../../request-json.ts";
import type { StepTool } from "../step-tool.ts";
import type { Arguments } from "./input-by-rule.ts";

/** Data that the model needs to fill in a call. */
export interface FillInputOptions {
  /** Key under which the run records its decisions about the arguments. */
  readonly key: string;
  readonly turnRef: () => TurnRef;
  readonly target: StepTool;
  readonly prompt: string;
  readonly description: string;
  readonly providedArgs: Arguments | undefined;
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

const maxSchemaLength = 20_000;
const maxPromptLength = 4000;

/** Requests the arguments of a call from the model. Throws if it gives no valid ones. */
export function* fillInput(run: AgentRun, parts: FillInputOptions): RunProgram<Arguments> {
  const { turnRef, target } = parts;
  const { value, issues } = yield* requestJson(run, {
    turnRef,
    system: rules,
    messages: [textMessage(fillPrompt(parts))],
    read: (answer) => readArguments(run, target, answer),
  });
  if (value !== undefined) return value;
  throw modelFailure("invalid_output", `there are no valid arguments for ${target.name}: ${issues.join("; ")}`);
}

const rules = [
  "You write the arguments of one call of a tool. Answer with one JSON object that fits the JSON Schema of the tool, and " +
    "nothing else. Take what the step names, and values of the results as they stand there; leave out what is optional and " +
    "not known, and invent nothing.",
  fencedDataRule,
].join("\n\n");

function fillPrompt({ target, prompt, description, providedArgs, results }: FillInputOptions): string {
  return [
    `The question that is being answered: ${cutText(prompt, maxPromptLength).text}`,
    `The step: ${description}`,
    `The tool ${target.name}: ${cutText(target.description, 1000).text}`,
    `Its JSON Schema: ${cutText(JSON.stringify(target.schema), maxSchemaLength).text}`,
    ...(providedArgs === undefined ? [] : [`A draft, made before there were results: ${JSON.stringify(providedArgs)}`]),
    ...results.map(({ id, text }) => `What ${id} gave:\n${fenceData(id, text)}`),
  ].join("\n\n");
}

function readArguments(
  run: AgentRun,
  target: StepTool,
  answer: string,
): { readonly value?: Arguments; readonly issues: readonly string[] } {
  const { objects, problem } = findJson(answer);
  let issues = [problem === undefined ? "it holds no JSON object" : `its JSON cannot be read (${problem})`];
  for (const json of objects.slice(0, 4)) {
    const parsed = parseArguments(json);
    const wrong = parsed.issues ?? inputIssues(run, target, parsed.value);
    if (parsed.issues === undefined && wrong.length === 0) return { value: parsed.value, issues: [] };
    issues = wrong.slice(0, 10).map(({ path, message }) => withPath(formatPath(path), message));
  }
  return { issues };
}

function withPath(path: string, message: string): string {
  return path === "" || message.includes(path) ? message : `${path}: ${message}`;
}

/** Validation errors of arguments; none if only the call itself can check them, or if the tool no longer exists. */
export function inputIssues({ engine }: AgentRun, { tool: name }: StepTool, args: unknown): readonly ArgumentIssue[] {
  const validation = engine.resolver.resolve(name)?.tool.input.validate(args);
  if (validation === undefined) return [];
  if (!(validation instanceof Promise)) return validation.issues ?? [];
  validation.catch(() => undefined);
  return [];
}

interface ArgumentIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
