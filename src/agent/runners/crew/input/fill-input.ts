import { formatPath } from "../../../../base/index.ts";
import { findJson, modelFailure } from "../../../../model/index.ts";
import { parseArguments } from "../../../../schema/index.ts";
import { cutText, dataRule, fenceData } from "../../../../text/index.ts";
import type { Place } from "../../../agent-event.ts";
import type { Flow } from "../../../flow/flow.ts";
import type { AgentRun } from "../../../run/agent-run.ts";
import { askForJson, toMessage } from "../../ask-for-json.ts";
import type { StepTool } from "../step-tool.ts";
import type { Arguments } from "./ruled-input.ts";

/** What the model has to know to fill in a call. */
export interface FillParts {
  /** Under which the run remembers what it decides about them. */
  readonly key: string;
  readonly place: () => Place;
  readonly target: StepTool;
  readonly question: string;
  readonly description: string;
  readonly given: Arguments | undefined;
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

const longestSchema = 20_000;
const longestQuestion = 4000;

/** Asks the model for the arguments of a call. Throws where it gives none that fit. */
export function* fillInput(run: AgentRun, parts: FillParts): Flow<Arguments> {
  const { place, target } = parts;
  const { value, issues } = yield* askForJson(run, {
    place,
    system: rules,
    messages: [toMessage(questionOf(parts))],
    read: (answer) => readArguments(run, target, answer),
  });
  if (value !== undefined) return value;
  throw modelFailure("invalid_output", `there are no arguments for ${target.name}: ${issues.join("; ")}`);
}

const rules = [
  "You write the arguments of one call of a tool. Answer with one JSON object that fits the JSON Schema of the tool, and " +
    "nothing else. Take what the step names, and values of the results as they stand there; leave out what is optional and " +
    "not known, and invent nothing.",
  dataRule,
].join("\n\n");

function questionOf({ target, question, description, given, results }: FillParts): string {
  const { name, schema } = target;
  return [
    `The question that is being answered: ${cutText(question, longestQuestion).text}`,
    `The step: ${description}`,
    `The tool ${name}: ${cutText(target.description, 1000).text}`,
    `Its JSON Schema: ${cutText(JSON.stringify(schema), longestSchema).text}`,
    ...(given === undefined ? [] : [`A draft, made before there were results: ${JSON.stringify(given)}`]),
    ...results.map(({ id, text }) => `What ${id} gave:\n${fenceData(id, text)}`),
  ].join("\n\n");
}

interface ReadArguments {
  readonly value?: Arguments;
  readonly issues: readonly string[];
}

function readArguments(run: AgentRun, target: StepTool, answer: string): ReadArguments {
  const { objects, problem } = findJson(answer);
  let issues = [problem === undefined ? "it holds no JSON object" : `its JSON cannot be read (${problem})`];
  for (const json of objects.slice(0, 4)) {
    const parsed = parseArguments(json);
    const wrong = parsed.issues ?? inputIssues(run, target, parsed.value);
    if (parsed.issues === undefined && wrong.length === 0) return { value: parsed.value, issues: [] };
    issues = wrong.slice(0, 10).map(({ path, message }) => withPlace(formatPath(path), message));
  }
  return { issues };
}

function withPlace(place: string, message: string): string {
  return place === "" || message.includes(place) ? message : `${place}: ${message}`;
}

/** What is wrong with arguments; nothing where only the call itself can tell, and where the tool is gone since. */
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
