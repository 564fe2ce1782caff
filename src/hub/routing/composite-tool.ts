import { canonicalJson, type Issue } from "../../base/index.ts";
import { fromJsonSchema, type JsonSchema, type Schema, type Validation, isRecord, setOwn } from "../../schema/index.ts";
import { type AnyTool, type Effect, type ToolContext, defineTool, fingerprintTool } from "../../tool/index.ts";
import { type Candidate, type Choice, argumentsFor } from "./candidate.ts";
import type { ChoiceDeps } from "./choice-deps.ts";
import { checkArguments } from "./check-arguments.ts";
import type { HubLimits } from "./hub-limits.ts";
import { isDestructiveCall, resolveCallEffect } from "../../engine/index.ts";

const effectsByRisk: readonly Effect[] = ["pure", "read", "idempotent", "once"];

/** Maximum total time, for any number of candidates. */
const maxChoiceMs = 3_600_000;

/** A name or a capability with several candidates, as one tool, which calls them as nested calls. */
export function compositeTool(choice: Choice, world: ChoiceDeps): AnyTool {
  const { name, candidates, contract } = choice;
  const tools = candidates.map(({ registration }) => registration.tool);
  const base = defineTool({
    ...describedBy(choice, tools[0]),
    name: "choice",
    composite: true,
    alwaysEnabled: tools.some(({ alwaysEnabled }) => alwaysEnabled),
    timeoutMs: totalTimeoutMs(tools, world.limits),
    input: fromJsonSchema({ type: "object" }),
    run: async (args: unknown, context: ToolContext) => {
      // Loaded on the first call: listing and planning do not need it.
      const { runChoice } = await import("./run-choice.ts");
      return runChoice({ choice, world, args }, context);
    },
  });
  const output = contract?.output;
  // Built by hand: `defineTool` rejects a name with a colon, so that no tool can take the name of a capability.
  return Object.freeze({
    ...base,
    name,
    id: name,
    input: contract?.input ?? sharedInput(candidates),
    ...(output !== undefined && { output }),
    ...(contract?.broken !== undefined && { broken: contract.broken }),
    effect: strongestEffect(choice),
    destructive: isDestructive(choice),
    unavailable: () => whyUnavailable(tools),
    // Computed on demand: it visits all schemas.
    get revision() {
      return revisionOf(choice);
    },
  });
}

/** The reasons why no candidate can work here; undefined if one can. */
function whyUnavailable(tools: readonly AnyTool[]): string | undefined {
  const reasons = tools.map(({ unavailable }) => unavailable?.());
  return reasons.length === 0 || reasons.includes(undefined) ? undefined : [...new Set(reasons)].join("; ");
}

/** Changes with the contract and the candidates, so that a resumed run continues with the same ones. */
function revisionOf({ contract, candidates }: Choice): string {
  const tools = candidates.map(({ label, registration: { source, tool } }) => [label, source, fingerprintTool(tool)]);
  return canonicalJson([contract?.text ?? null, contract?.kind ?? null, tools.toSorted(byLabel)]);
}

function byLabel([one = ""]: readonly string[], [other = ""]: readonly string[]): number {
  return one < other ? -1 : 1;
}

/** Description of a choice: that of its contract, or of its first candidate. */
function describedBy({ name, contract }: Choice, first: AnyTool | undefined) {
  if (contract !== undefined)
    return { description: contract.description, displayName: name, capabilities: [contract.name] };
  if (first === undefined) return { description: `Runs one of the tools that can do ${name}.` };
  const { description, displayName, category, capabilities } = first;
  return { description, displayName, category, capabilities };
}

/** The strongest effect of the candidates that may run. Constant if it does not depend on the arguments. */
function strongestEffect(choice: Choice): AnyTool["effect"] {
  const tools = choice.candidates.map(({ registration }) => registration.tool);
  const [first = "read", ...others] = new Set(tools.map(({ effect }) => effect));
  const isKnown =
    others.length === 0 && (first !== "idempotent" || tools.length === 1 || choice.contract !== undefined);
  if (typeof first !== "function" && isKnown) return tools.length > 1 ? together(tools.map(() => first)) : first;
  return (args: unknown) => together(runnable(choice, args).map(([tool, own]) => resolveCallEffect(tool, own)));
}

/**
 * The effect of a call that one of these tools handles. Two idempotent tools together are not idempotent: after a
 * failure, or a crash, one may have done the work, and another would repeat it.
 */
function together(effects: readonly Effect[]): Effect {
  const limit = effectsByRisk[Math.max(...effects.map((effect) => effectsByRisk.indexOf(effect)))] ?? "once";
  return limit === "idempotent" && effects.filter((effect) => effect === limit).length > 1 ? "once" : limit;
}

function isDestructive(choice: Choice): AnyTool["destructive"] {
  const tools = choice.candidates.map(({ registration }) => registration.tool);
  const [first = false, ...others] = new Set(tools.map(({ destructive }) => destructive));
  if (typeof first !== "function" && others.length === 0) return first;
  return (args: unknown) => runnable(choice, args).some(([tool, own]) => isDestructiveCall(tool, own));
}

/** The tools that accept these arguments, and their validated form. A tool with an asynchronous schema counts. */
function runnable({ candidates, contract }: Choice, args: unknown): readonly (readonly [AnyTool, unknown])[] {
  return candidates.flatMap((candidate: Candidate) => {
    const { tool } = candidate.registration;
    const own = argumentsFor(candidate, contract, args);
    if ("issues" in own) return [];
    const validation = checkArguments(tool.input, own.args);
    if (validation instanceof Promise) {
      // The effect depends on arguments that are not validated yet.
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

/** Time for every candidate, one after another, and for a final model request. */
function totalTimeoutMs(tools: readonly AnyTool[], { toolTimeoutMs, synthesisTimeoutMs }: HubLimits): number {
  const rest = synthesisTimeoutMs + 5_000;
  const sum = (timeOf: (tool: AnyTool) => number): number =>
    Math.min(
      maxChoiceMs,
      tools.reduce((all, tool) => all + timeOf(tool), rest),
    );
  if (tools.every(({ timeoutMs }) => typeof timeoutMs !== "function"))
    return sum(({ timeoutMs }) => (typeof timeoutMs === "number" ? timeoutMs : toolTimeoutMs));
  return maxChoiceMs;
}

/**
 * Input schema of several candidates with one name: valid is any input that one of them accepts. It is passed on
 * unchanged, since each candidate applies its own defaults; if none accepts it, the issues are those of the first.
 */
function sharedInput(candidates: readonly Candidate[]): Schema {
  const schemas = candidates.map(({ registration }) => registration.tool.input);
  return { json: sharedJson(schemas.map(({ json }) => json)), validate: (value) => validateWith(schemas, value) };
}

/** The first synchronous acceptance decides; else the first of the asynchronous ones, since one of them may hang. */
function validateWith(schemas: readonly Schema[], value: unknown): Validation<unknown> | Promise<Validation<unknown>> {
  const later: Promise<Validation<unknown>>[] = [];
  let issues: readonly Issue[] | undefined;
  for (const schema of schemas) {
    const found = checkArguments(schema, value);
    if (found instanceof Promise) later.push(found);
    else if (found.issues === undefined) return { value };
    else issues ??= found.issues;
  }
  return later.length === 0 ? { issues: issues ?? [] } : firstToTake(later, value, issues);
}

function firstToTake(
  checks: readonly Promise<Validation<unknown>>[],
  value: unknown,
  issues: readonly Issue[] | undefined,
): Promise<Validation<unknown>> {
  return new Promise((resolve) => {
    let [left, first] = [checks.length, issues];
    for (const check of checks) {
      void check.then((found) => {
        first ??= found.issues;
        if (found.issues === undefined) resolve({ value });
        else if (--left === 0) resolve({ issues: first ?? [] });
      });
    }
  });
}

/** The common schema: the same one, or one that forbids nothing that one of them allows. */
function sharedJson(all: readonly JsonSchema[]): JsonSchema {
  const [first = {}] = all;
  const text = canonicalJson(first);
  if (all.every((json) => canonicalJson(json) === text)) return first;
  const properties: Record<string, unknown> = {};
  for (const json of all) {
    for (const [key, schema] of Object.entries(isRecord(json["properties"]) ? json["properties"] : {})) {
      setOwn(properties, key, Object.hasOwn(properties, key) ? inCommon(properties[key], schema) : alone(schema));
    }
  }
  const required = all.map((json) => (Array.isArray(json["required"]) ? (json["required"] as readonly string[]) : []));
  const needed = (required[0] ?? []).filter((key) => required.every((keys) => keys.includes(key)));
  return { type: "object", properties, ...(needed.length > 0 && { required: needed }) };
}

/** A part that refers to another part of its schema loses that; its description stays. */
function alone(schema: unknown): unknown {
  return canonicalJson(schema).includes('"$ref"') ? described(schema) : schema;
}

function inCommon(one: unknown, other: unknown): unknown {
  return canonicalJson(one) === canonicalJson(other) ? one : described(one);
}

function described(schema: unknown): unknown {
  const description = isRecord(schema) ? schema["description"] : undefined;
  return typeof description === "string" ? { description } : {};
}
