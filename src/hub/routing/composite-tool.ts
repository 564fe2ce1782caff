import { canonicalJson } from "../../base/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import { type AnyTool, type Effect, type ToolContext, defineTool, fingerprintTool } from "../../tool/index.ts";
import { type Candidate, type Choice, argumentsFor } from "./candidate.ts";
import type { ChoiceWorld } from "./choice-world.ts";
import { checkArguments } from "./check-arguments.ts";
import type { HubLimits } from "./hub-limits.ts";
import { destructiveWith, effectWith } from "./prepare-candidate.ts";
import { sharedInput } from "./shared-input.ts";

const harm: readonly Effect[] = ["pure", "read", "idempotent", "once"];

/** However many candidates there are, a call of them all takes no longer. */
const longestMs = 3_600_000;

/** A name or a capability with several candidates, as one tool: its calls are nested calls of theirs. */
export function compositeTool(choice: Choice, world: ChoiceWorld): AnyTool {
  const { name, candidates, contract } = choice;
  const tools = candidates.map(({ registration }) => registration.tool);
  const base = defineTool({
    ...describedBy(choice, tools[0]),
    name: "choice",
    composite: true,
    alwaysEnabled: tools.some(({ alwaysEnabled }) => alwaysEnabled),
    timeoutMs: longestTime(tools, world.limits),
    input: fromJsonSchema({ type: "object" }),
    run: async (args: unknown, context: ToolContext) => {
      // Loaded when it is called: whoever only lists or plans does without.
      const { runChoice } = await import("./run-choice.ts");
      return runChoice({ choice, world, args }, context);
    },
  });
  const output = contract?.output;
  // By hand: a name with a colon is none that a tool can be given, so that no tool can take a capability's place.
  return Object.freeze({
    ...base,
    name,
    id: name,
    input: contract?.input ?? sharedInput(candidates),
    ...(output !== undefined && { output }),
    ...(contract?.broken !== undefined && { broken: contract.broken }),
    effect: mostHarmful(choice),
    destructive: isDestructive(choice),
    // Worked out where somebody compares it: all schemas are looked at.
    get revision() {
      return revisionOf(choice);
    },
  });
}

/** Changes with the contract and with whatever may be chosen: a run that goes on later goes on with the same. */
function revisionOf({ contract, candidates }: Choice): string {
  const tools = candidates.map(({ label, registration: { source, tool } }) => [label, source, fingerprintTool(tool)]);
  return canonicalJson([contract?.text ?? null, contract?.kind ?? null, tools.toSorted(byLabel)]);
}

function byLabel([one = ""]: readonly string[], [other = ""]: readonly string[]): number {
  return one < other ? -1 : 1;
}

/** What people and models read of a choice: the words of its contract, or those of its first candidate. */
function describedBy({ name, contract }: Choice, first: AnyTool | undefined) {
  if (contract !== undefined)
    return { description: contract.description, displayName: name, capabilities: [contract.name] };
  if (first === undefined) return { description: `Stands for every tool that can do ${name}.` };
  const { description, displayName, category, capabilities } = first;
  return { description, displayName, category, capabilities };
}

/** The most harmful effect of those that may run. Where it depends on nothing, it is told without asking. */
function mostHarmful(choice: Choice): AnyTool["effect"] {
  const tools = choice.candidates.map(({ registration }) => registration.tool);
  const [first = "read", ...others] = new Set(tools.map(({ effect }) => effect));
  const isKnown =
    others.length === 0 && (first !== "idempotent" || tools.length === 1 || choice.contract !== undefined);
  if (typeof first !== "function" && isKnown) return tools.length > 1 ? together(tools.map(() => first)) : first;
  return (args: unknown) => together(runnable(choice, args).map(([tool, own]) => effectWith(tool, own)));
}

/**
 * The effect of a call that one of these makes, nobody knows which. What twice is once with each of them is twice with
 * two: after a failure, or a crash, the work may have been done by one, and be done again by another.
 */
function together(effects: readonly Effect[]): Effect {
  const most = harm[Math.max(...effects.map((effect) => harm.indexOf(effect)))] ?? "once";
  return most === "idempotent" && effects.filter((effect) => effect === most).length > 1 ? "once" : most;
}

function isDestructive(choice: Choice): AnyTool["destructive"] {
  const tools = choice.candidates.map(({ registration }) => registration.tool);
  const [first = false, ...others] = new Set(tools.map(({ destructive }) => destructive));
  if (typeof first !== "function" && others.length === 0) return first;
  return (args: unknown) => runnable(choice, args).some(([tool, own]) => destructiveWith(tool, own));
}

/** The tools that take these arguments, and what they make of them. One that takes its time to say counts. */
function runnable({ candidates, contract }: Choice, args: unknown): readonly (readonly [AnyTool, unknown])[] {
  return candidates.flatMap((candidate: Candidate) => {
    const { tool } = candidate.registration;
    const own = argumentsFor(candidate, contract, args);
    if ("issues" in own) return [];
    const validation = checkArguments(tool.input, own.args);
    if (validation instanceof Promise) {
      // What it depends on is not known yet.
      return [[{ ...tool, ...unknownEffect(tool) }, own.args] as const];
    }
    return validation.issues === undefined ? [[tool, validation.value] as const] : [];
  });
}

function unknownEffect({ effect, destructive }: AnyTool): Partial<AnyTool> {
  return {
    ...(typeof effect === "function" && { effect: "once" as const }),
    ...(typeof destructive === "function" && { destructive: true }),
  };
}

/** Every candidate may be tried, one after another, and a model asked in the end. */
function longestTime(tools: readonly AnyTool[], { toolMs, synthesisMs }: HubLimits): number {
  const rest = synthesisMs + 5_000;
  const sum = (timeOf: (tool: AnyTool) => number): number =>
    Math.min(
      longestMs,
      tools.reduce((all, tool) => all + timeOf(tool), rest),
    );
  if (tools.every(({ timeoutMs }) => typeof timeoutMs !== "function"))
    return sum(({ timeoutMs }) => (typeof timeoutMs === "number" ? timeoutMs : toolMs));
  return longestMs;
}
