import { readJsonObject } from "../../request-json.ts";
import { isRecord } from "../../../../schema/index.ts";
import { cutText, stripUnsafe } from "../../../../text/index.ts";
import type { AgentNotice, AgentNoticeParams } from "../../../events/agent-notice.ts";
import { type Complexity, type CrewStep, noTool } from "../crew-step.ts";

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
  // The list of steps, or an error message.
  const found = readJsonObject(wrapped(answer), ({ steps }): readonly unknown[] | string =>
    Array.isArray(steps) ? steps : 'the JSON object has no list "steps"',
  );
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

/** A step as written by a planner, with its own names. */
interface PlannerStep {
  readonly name: string;
  readonly needs: readonly string[];
  readonly step: Omit<CrewStep, "id" | "dependencies">;
}

/**
 * Assigns ids to the steps and resolves their dependencies. Invalid dependencies are dropped with a notice: unknown ones,
 * and those that close a cycle.
 */
function linkPlan(written: readonly PlannerStep[]): {
  readonly steps: readonly CrewStep[];
  readonly notices: readonly AgentNotice[];
} {
  const names = stepIndexByName(written);
  const notices: AgentNotice[] = [];
  const needs = written.map(({ needs }, index) => {
    const positions = new Set<number>();
    for (const name of needs) {
      const needed = names.get(name) ?? names.get(numberIn(name));
      if (needed === undefined || needed === index)
        notices.push(dropped(index, name, needed === index ? "itself" : "unknown"));
      else positions.add(needed);
    }
    return positions;
  });
  for (const [from, to] of circles(needs)) {
    needs[from]?.delete(to);
    notices.push(dropped(from, idOf(to), "cycle"));
  }
  const steps = written.map(({ step }, index) => ({
    ...step,
    id: idOf(index),
    dependencies: [...(needs[index] ?? [])].toSorted((a, b) => a - b).map(idOf),
  }));
  return { steps, notices };
}

function dropped(
  index: number,
  dependency: string,
  reason: AgentNoticeParams["dependency_dropped"]["reason"],
): AgentNotice {
  return { code: "dependency_dropped", params: { step: idOf(index), dependency, reason } };
}

function idOf(index: number): string {
  return `step-${index + 1}`;
}

/** Steps by the planner's names, and by the numbers in these. The first step of a name has precedence. */
function stepIndexByName(written: readonly PlannerStep[]): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  const add = (name: string, index: number): void => {
    if (name !== "" && !positions.has(name)) positions.set(name, index);
  };
  for (const [index, { name }] of written.entries()) add(name, index);
  for (const [index, { name }] of written.entries()) add(numberIn(name), index);
  return positions;
}

/** `step_2`, `2.` and `步骤2` are 2. */
function numberIn(name: string): string {
  return /\d+/.exec(name)?.[0] ?? "";
}

/** Dependencies whose removal leaves no cycle. */
function circles(needs: readonly ReadonlySet<number>[]): (readonly [from: number, to: number])[] {
  const state = new Map<number, "open" | "done">();
  const closing: (readonly [number, number])[] = [];
  // A plan has few steps: the recursion is shallow.
  const visit = (index: number): void => {
    state.set(index, "open");
    for (const need of needs[index] ?? []) {
      if (state.get(need) === "open") closing.push([index, need]);
      else if (!state.has(need)) visit(need);
    }
    state.set(index, "done");
  };
  for (const index of needs.keys()) if (!state.has(index)) visit(index);
  return closing;
}
