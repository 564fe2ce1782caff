import { findJson } from "../../../../model/index.ts";
import { isRecord, parseArguments } from "../../../../schema/index.ts";
import { cutText, stripUnsafe } from "../../../../text/index.ts";
import { type Complexity, type CrewStep, noTool } from "./crew-step.ts";
import { type WrittenStep, linkPlan } from "./link-plan.ts";

/** What an answer of a planner comes to. */
export interface ReadPlan {
  /** What can be used of it, whatever is wrong with the rest. */
  readonly steps: readonly CrewStep[];
  /** What is wrong, in words for the model; the plan is as it should be where there is nothing. */
  readonly issues: readonly string[];
  /** What was repaired, in words for people. */
  readonly notes: readonly string[];
}

const longestDescription = 2000;
const longestName = 128;
/** More of a list than this is nobody's plan. */
const mostRead = 1000;
const mostNeeds = 100;
const largestInput = 20_000;

/** Reads the plan in an answer: its JSON is found in prose and fences, keys that nobody knows are passed over. */
export function readPlan(answer: string, { maxSteps }: { readonly maxSteps: number }): ReadPlan {
  const found = listIn(answer);
  if (typeof found === "string") return { steps: [], issues: [found], notes: [] };
  const issues: string[] = [];
  const written = found.slice(0, mostRead).flatMap((item, index) => {
    const read = readStep(item, index);
    if (typeof read !== "string") return [read];
    issues.push(read);
    return [];
  });
  if (found.length === 0) issues.push('"steps" is empty; there has to be one step at least');
  const tooMany = written.length > maxSteps;
  if (tooMany) issues.push(`the plan has ${found.length} steps; ${maxSteps} are allowed, so put some together`);
  const { steps, notes } = linkPlan(written.slice(0, maxSteps));
  const shortened = tooMany ? [`the plan had ${found.length} steps; only the first ${maxSteps} were done`] : [];
  return { steps, issues: issues.slice(0, 10), notes: [...shortened, ...notes] };
}

/** The list of steps, or what is wrong. */
function listIn(answer: string): readonly unknown[] | string {
  const { objects, problem } = findJson(wrapped(answer));
  let wrong = problem === undefined ? "it holds no JSON object" : `its JSON cannot be read (${problem})`;
  for (const json of objects.slice(0, 8)) {
    const { value, issues } = { value: undefined, issues: undefined, ...parseArguments(json) };
    if (issues !== undefined) wrong = issues.map(({ message }) => message).join("; ");
    const steps: unknown = value?.["steps"];
    if (Array.isArray(steps)) return steps;
    if (value !== undefined) wrong = 'the JSON object has no list "steps"';
  }
  return wrong;
}

/** Some models leave out the object around the list. */
function wrapped(answer: string): string {
  const open = answer.search(/[[{]/);
  const end = answer.lastIndexOf("]");
  const isList = open !== -1 && /^\[\s*\{/.test(answer.slice(open, open + 200)) && end > open;
  return isList ? `{"steps":${answer.slice(open, end + 1)}}` : answer;
}

function readStep(item: unknown, index: number): WrittenStep | string {
  const at = `steps[${index}]`;
  if (!isRecord(item)) return `${at} is no JSON object`;
  const description = textOf(item["description"], longestDescription);
  if (description === "") return `${at} needs a "description"`;
  const { id, tool_type: tool = item["tool"], dependencies, complexity, input } = item;
  const toolType = textOf(tool, longestName);
  return {
    name: textOf(id, longestName) || String(index + 1),
    needs: (Array.isArray(dependencies) ? dependencies : dependencies === undefined ? [] : [dependencies])
      .slice(0, mostNeeds)
      .map((need) => textOf(need, longestName))
      .filter((need) => need !== ""),
    step: {
      description,
      toolType: toolType === "" || toolType.toLowerCase() === noTool ? noTool : toolType,
      complexity: readComplexity(complexity),
      ...(isRecord(input) && isSmall(input) && { input }),
    },
  };
}

function textOf(value: unknown, most: number): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? cutText(stripUnsafe(value).trim(), most).text : "";
}

/** What does not fit here is filled in when the step is done. */
function isSmall(input: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(input).length > 0 && JSON.stringify(input).length <= largestInput;
}

const words: readonly (readonly [RegExp, Complexity])[] = [
  [/^(?:low|simple|easy|trivial|低|简单|容易)/i, "low"],
  [/^(?:high|hard|complex|difficult|高|复杂|困难)/i, "high"],
];

function readComplexity(value: unknown): Complexity {
  if (typeof value === "number") return value <= 3 ? "low" : value >= 7 ? "high" : "medium";
  if (typeof value !== "string") return "medium";
  return words.find(([pattern]) => pattern.test(value.trim()))?.[1] ?? "medium";
}
