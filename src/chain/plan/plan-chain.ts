import { isFailureError } from "../../base/index.ts";
import type { CompiledValue } from "../../expr/index.ts";
import { type JsonSchema, type Schema, fromJsonSchema, isMap } from "../../schema/index.ts";
import type { Problem } from "../../text/index.ts";
import { toolNameProblem } from "../../tool/index.ts";
import { type ChainEffect, chainEffect } from "./chain-effect.ts";
import { maxChainDepth } from "./chain-depth.ts";
import type { ChainReport } from "./chain-report.ts";
import { checkCalls } from "./check-calls.ts";
import { checkDuration } from "./check-durations.ts";
import { ReferenceChecker } from "./check-references.ts";
import { checkTexts } from "./check-texts.ts";
import { checkUntrusted } from "./check-untrusted.ts";
import { type CompiledStep, compileStep } from "./compile-step.ts";
import { correctedName } from "./corrected-name.ts";
import { durationMs } from "./duration.ts";
import { noHandling, readHandling } from "./failure-plan.ts";
import { TargetFinder } from "./find-target.ts";
import { type Links, edgesOf, linkSteps } from "./link-steps.ts";
import { PartReader, type Use } from "./part-reader.ts";
import type { PlanContext } from "./plan-context.ts";
import type { Plan, PlanStep } from "./plan.ts";
import { type ChainSource, readSource } from "./read-chain.ts";
import { inferInputs, readInputs, unusedInputs } from "./read-inputs.ts";
import type { ChainSpec } from "./spec.ts";
import { type StepNames, readStepNames } from "./step-names.ts";

/** A plan if there are no errors, and everything that is wrong. */
export interface PlannedChain {
  readonly plan?: Plan;
  /** In the order of the file; warnings may come with a plan. */
  readonly problems: readonly Problem[];
}

const usualParallel = 5;

/**
 * Checks a chain and makes a plan of it: every reference, tool, parameter and cycle is looked at before anything runs,
 * and everything that is wrong is told at once. Never throws.
 *
 * @example
 * ```ts
 * const { plan, problems } = planChain({ text, file: "chains/research.yaml" }, { tools: engine.registry });
 * ```
 */
export function planChain(source: ChainSource, context: PlanContext): PlannedChain {
  const key = source.text ?? source.spec;
  const again = underway.get(key);
  // Asked for by a chain that this one calls: it is told about where the planning began.
  if (again !== undefined) return { plan: again, problems: [] };
  const { spec, report } = readSource(source);
  if (spec === undefined) return { problems: report.problems };
  const { plan, parts, uses } = makePlan(spec, report, context);
  const outer = new Set(underway.values().map(({ name }) => name));
  underway.set(key, plan);
  try {
    const chains = outer.size < maxChainDepth;
    checkCalls({ plan, parts, uses, outer, chains }, report);
    if (chains && context.taint !== "unchecked") checkUntrusted(plan, report);
  } finally {
    underway.delete(key);
  }
  return report.failed ? { problems: report.problems } : { plan, problems: report.problems };
}

/**
 * Chains that are being planned right now: planning one may ask for the plans of those that it calls, and they for
 * its own.
 */
const underway = new Map<unknown, Plan>();

interface MadePlan {
  readonly plan: Plan;
  readonly parts: readonly CompiledStep[];
  /** What the expressions of the chain itself refer to. */
  readonly uses: readonly Use[];
}

function makePlan(spec: ChainSpec, report: ChainReport, context: PlanContext): MadePlan {
  checkChainName(spec, report);
  const names = readStepNames(spec.steps, report);
  const finder = new TargetFinder(context, report, { name: spec.name, plan: () => plan });
  const reader = new PartReader(report);
  const handling =
    spec.error_handling === undefined
      ? noHandling
      : readHandling(spec.error_handling, ["error_handling"], { report, reader, finder });
  const parts = spec.steps.map((step, index) =>
    compileStep(step, index, { report, finder, reader, handling, chain: spec.name }),
  );
  const output = spec.output === undefined ? undefined : reader.value(spec.output, ["output"], "output");
  const { uses } = reader;
  const input =
    spec.input === undefined
      ? inferInputs([...uses, ...parts.flatMap((step) => step.uses)])
      : readInputs(spec.input, report);
  const known = { ...names, ...outerNames(spec, context, report), inputs: declared(spec, input) };
  const checker = new ReferenceChecker(known, report);
  for (const use of uses) checker.check(use, undefined);
  const links = link(parts, names, { checker, report });
  checkTexts(spec, known, report);
  if (spec.input !== undefined) tellUnused(spec, [...uses, ...parts.flatMap((step) => step.uses)], report);
  const plan: Plan = assemble({ spec, context, input: inputSchema(input, report), output, steps: parts, links });
  return { plan, parts, uses };
}

function link(
  compiled: readonly CompiledStep[],
  names: StepNames,
  { checker, report }: { readonly checker: ReferenceChecker; readonly report: ChainReport },
): readonly Links[] {
  const edges = compiled.map(({ step, uses }) => {
    const found = uses.flatMap((use) => checker.check(use, step) ?? []);
    return edgesOf(step, found, { names, report });
  });
  return linkSteps(
    compiled.map(({ step }) => step),
    edges,
    report,
  );
}

/** Whoever passes such an input waits in vain for it to do something. Told once the chain is right otherwise. */
function tellUnused({ input = {} }: ChainSpec, uses: readonly Use[], report: ChainReport): void {
  if (report.failed) return;
  for (const name of unusedInputs(input, uses)) {
    const message = `nothing uses the input "${name}"`;
    const hint = `write \${input.${name}} where it is needed, or remove it`;
    report.add("unused_input", ["input", name], [message, { hint, part: "key", severity: "warning" }]);
  }
}

function declared(spec: ChainSpec, { properties }: JsonSchema): ReadonlySet<string> | undefined {
  return spec.input === undefined ? undefined : new Set(Object.keys(isMap(properties) ? properties : {}));
}

function checkChainName({ name, timeout }: ChainSpec, report: ChainReport): void {
  checkDuration(timeout, ["timeout"], report);
  // A missing name has been told about.
  const why = name === "" ? undefined : toolNameProblem(name);
  if (why === undefined) return;
  const better = correctedName(name, "chain-");
  const hint = better === undefined ? undefined : `call it ${JSON.stringify(better)}`;
  report.add("bad_chain_name", ["name"], [`the name ${JSON.stringify(name.slice(0, 80))} ${why}`, { hint }]);
}

/** What comes from outside: variables and secrets. A variable that the workspace does not allow is reported. */
function outerNames(
  { env = [] }: ChainSpec,
  context: PlanContext,
  report: ChainReport,
): { readonly env: ReadonlySet<string>; readonly secrets: ReadonlySet<string> | undefined } {
  const allowed = context.env === undefined ? undefined : new Set(context.env);
  for (const [index, name] of env.entries()) {
    if (allowed === undefined || allowed.has(name)) continue;
    const hint = report.near(name, allowed, `add it to "env" of the workspace`);
    report.add("env_not_allowed", ["env", index], [`the workspace does not allow ${JSON.stringify(name)}`, { hint }]);
  }
  return { env: new Set(env), secrets: context.secrets === undefined ? undefined : new Set(context.secrets) };
}

function inputSchema(json: JsonSchema, report: ChainReport): Schema {
  try {
    return fromJsonSchema(json);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    report.add(error.reason ?? "bad_schema", ["input"], [error.message]);
    return fromJsonSchema({});
  }
}

interface PlanParts {
  readonly spec: ChainSpec;
  readonly context: PlanContext;
  readonly input: Schema;
  readonly output: CompiledValue | undefined;
  readonly steps: readonly CompiledStep[];
  readonly links: readonly Links[];
}

function assemble({ spec, context, input, output, steps: parts, links }: PlanParts): Plan {
  const steps = parts.map(({ step }, index): PlanStep => ({ ...step, ...(links[index] ?? noLinks) }));
  let effect: ChainEffect | undefined;
  return {
    name: spec.name,
    description: (spec.description ?? "").trim(),
    version: spec.version ?? "1.0.0",
    spec,
    input,
    steps,
    first: steps.flatMap(({ index, needs }) => (needs.length === 0 ? [index] : [])),
    byId: new Map(steps.map((step) => [step.id, step])),
    env: spec.env ?? [],
    maxParallel: spec.max_parallel ?? context.maxParallel ?? usualParallel,
    timeoutMs: durationMs(spec.timeout),
    durable: spec.durable,
    taint: context.taint === "strict" ? "strict" : (spec.taint ?? "show"),
    output,
    // Asked for when it is needed: a chain may call chains that are not planned yet.
    get effect() {
      return (effect ??= chainEffect(steps)).effect;
    },
    get destructive() {
      return (effect ??= chainEffect(steps)).destructive;
    },
  };
}

const noLinks: Links = { needs: [], dependents: [], reads: [], relies: [] };
