import { findJson } from "../../../../model/index.ts";
import { isRecord, parseArguments } from "../../../../schema/index.ts";
import { cutText, stripUnsafe } from "../../../../text/index.ts";
import type { AgentNotice } from "../../../events/agent-notice.ts";
import { type Complexity, type CrewStep, noTool } from "./crew-step.ts";
import { type PlannerStep, linkPlan } from "./link-plan.ts";

/** Parsed answer of a planner. */
export interface ParsedCrewPlan {
  /** The usable steps, also if the rest of the plan is invalid. */
  readonly steps: readonly CrewStep[];
  /** Errors for the model; empty if the plan is valid. */
  readonly issues: readonly string[];
  /** Repairs. */
  readonly notices: readonly AgentNotice[];
}

const maxDescriptionLength = 2000;
const maxNameLength = 128;
/** Maximum number of list items to read; no real plan is longer. */
const maxRead = 1000;
const maxNeeds = 100;
const maxInputSize = 20_000;

/** Parses the plan in an answer: finds its JSON in prose and fences, and ignores unknown keys. */
export function parseCrewPlan(answer: string, { maxSteps }: { readonly maxSteps: number }): ParsedCrewPlan {
  const found = listIn(answer);
  if (typeof found === "string") return { steps: [], issues: [found], notices: [] };
  const issues: string[] = [];
  const written = found.slice(0, maxRead).flatMap((item, index) => {
    const read = readStep(item, index);
    if (typeof read !== "string") return [read];
    issues.push(read);
    return [];
  });
  if (found.length === 0) issues.push('"steps" is empty; there has to be one step at least');
  const tooMany = written.length > maxSteps;
  if (tooMany) issues.push(`the plan has ${found.length} steps; ${maxSteps} are allowed, so put some together`);
  const { steps, notices } = linkPlan(written.slice(0, maxSteps));
  const shortened: AgentNotice = { code: "plan_shortened", params: { steps: found.length, max: maxSteps } };
  return { steps, issues: issues.slice(0, 10), notices: tooMany ? [shortened, ...notices] : notices };
}

/** The list of steps, or an error message. */
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

/** Some models omit the object around the list. */
function wrapped(answer: string): string {
  const open = answer.search(/[[{]/);
  const end = answer.lastIndexOf("]");
  const isList = open !== -1 && /^\[\s*\{/.test(answer.slice(open, open + 200)) && end > open;
  return isList ? `{"steps":${answer.slice(open, end + 1)}}` : answer;
}

function readStep(item: unknown, index: number): PlannerStep | string {
  const at = `steps[${index}]`;
  if (!isRecord(item)) return `${at} is not a JSON object`;
  const description = trimmedText(item["description"], maxDescriptionLength);
  if (description === "") return `${at} needs a "description"`;
  const { id, tool_type: tool = item["tool"], dependencies, complexity, input } = item;
  const toolType = trimmedText(tool, maxNameLength);
  return {
    name: trimmedText(id, maxNameLength) || String(index + 1),
    needs: (Array.isArray(dependencies) ? dependencies : dependencies === undefined ? [] : [dependencies])
      .slice(0, maxNeeds)
      .map((need) => trimmedText(need, maxNameLength))
      .filter((need) => need !== ""),
    step: {
      description,
      toolType: toolType === "" || toolType.toLowerCase() === noTool ? noTool : toolType,
      complexity: readComplexity(complexity),
      ...(isRecord(input) && isSmall(input) && { input }),
    },
  };
}

function trimmedText(value: unknown, max: number): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? cutText(stripUnsafe(value).trim(), max).text : "";
}

/** Larger input is filled in when the step runs. */
function isSmall(input: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(input).length > 0 && JSON.stringify(input).length <= maxInputSize;
}

const complexityWords: readonly (readonly [RegExp, Complexity])[] = [
  [/^(?:low|simple|easy|trivial|低|简单|容易)/i, "low"],
  [/^(?:high|hard|complex|difficult|高|复杂|困难)/i, "high"],
];

function readComplexity(value: unknown): Complexity {
  if (typeof value === "number") return value <= 3 ? "low" : value >= 7 ? "high" : "medium";
  if (typeof value !== "string") return "medium";
  return complexityWords.find(([pattern]) => pattern.test(value.trim()))?.[1] ?? "medium";
}
