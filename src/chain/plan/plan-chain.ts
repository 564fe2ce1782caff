import { isFailureError } from "../../base/index.ts";
import type { CompiledValue } from "../../expr/index.ts";
import { type JsonSchema, type Schema, fromJsonSchema, isRecord, propertiesOf } from "../../schema/index.ts";
import type { Problem, YamlPath } from "../../text/index.ts";
import { toolNameProblem, readParameterList, readParameterMap } from "../../tool/index.ts";
import { chainTable } from "./chain-table.ts";
import { type ChainEffect, chainEffect } from "./chain-effect.ts";
import { maxChainDepth } from "./chain-depth.ts";
import type { ChainReport } from "./chain-report.ts";
import { type CheckedPlan, checkCalls } from "./check-calls.ts";
import { checkDuration, parseChainDuration } from "./chain-durations.ts";
import { ReferenceChecker } from "./check-references.ts";
import { checkTexts } from "./check-texts.ts";
import { checkUntrusted } from "./check-untrusted.ts";
import { checkUntrustedTargets } from "./check-untrusted-targets.ts";
import { type CompiledStep, type UnlinkedStep, compileStep } from "./compile-step.ts";
import { suggestName } from "./suggest-form.ts";
import { noHandling, readHandling } from "./failure-plan.ts";
import { TargetFinder } from "./find-target.ts";
import { type Links, edgesOf, linkSteps } from "./link-steps.ts";
import { PartReader, type ReferenceUse, type ExpressionRole } from "./part-reader.ts";
import type { PlanContext, Plan, PlanStep } from "./plan.ts";
import { type ParsableChain, readSource } from "./parse-chain.ts";
import { inferInputs } from "./infer-inputs.ts";
import type { ChainSpec } from "./chain-spec.ts";
import { type StepNames, readStepNames } from "./step-names.ts";
import { checkDistinct, checkTrigger } from "./check-triggers.ts";
import { triggersOf } from "./trigger.ts";

/** A plan if there are no errors, and all problems. */
export interface PlanChainResult {
  readonly plan?: Plan;
  /** In the order of the file; warnings may come with a plan. */
  readonly problems: readonly Problem[];
}

/**
 * Checks a chain, from a file or written in code, and compiles it to a plan: every reference, tool, parameter and cycle is checked before anything runs,
 * and all problems are reported at once. Never throws.
 *
 * @example
 * ```ts
 * const { plan, problems } = planChain({ text, file: "chains/research.yaml" }, { tools: engine.registry });
 * ```
 *
 * @see docs/guide/chains.md
 */
export function planChain(chain: ParsableChain | ChainSpec, context: PlanContext): PlanChainResult {
  const source: ParsableChain = "text" in chain || "spec" in chain ? chain : { spec: chain };
  const key = source.text ?? source.spec;
  const again = underway.get(key);
  // Requested by a chain that this one calls: its problems are reported where the planning began.
  if (again !== undefined) return { plan: again, problems: [] };
  const { spec, report } = readSource(source);
  if (spec === undefined) return { problems: report.problems };
  const { plan, parts, uses } = makePlan(spec, report, context);
  const outer = new Set(underway.values().map(({ name }) => name));
  underway.set(key, plan);
  try {
    const chains = outer.size < maxChainDepth;
    checkCalls({ plan, parts, uses, outer, chains, fileError: context.tools.fileError }, report);
    checkTriggers(plan, context, report);
    if (chains && context.taint !== "unchecked") {
      checkUntrusted(plan, report);
      checkUntrustedTargets(plan, report);
    }
  } finally {
    underway.delete(key);
  }
  return report.failed ? { problems: report.problems } : { plan, problems: report.problems };
}

/** A run that has started has no use for the triggers of its chain. */
function checkTriggers(plan: Plan, { secrets, taint }: PlanContext, report: ChainReport): void {
  const { name: chain, spec } = plan;
  if (spec.on === undefined || taint === "unchecked") return;
  // Inputs that are inferred from a chain with errors may be wrong.
  const isKnown = spec.input !== undefined || !report.failed;
  const checks = { chain, secrets: secrets && new Set(secrets), input: isKnown ? () => plan.input : undefined };
  for (const [index, trigger] of spec.on.entries()) checkTrigger(trigger, ["on", index], checks, report);
  const known = spec.on.map((one, index) => ({
    id: triggersOf([one], { chain, file: undefined, timezone: undefined })[0]?.id ?? `#${index}`,
    path: ["on", index],
  }));
  checkDistinct(known, report);
}

/** Chains that are being planned: planning one may request the plans of the chains that it calls, and those its own. */
const underway = new Map<unknown, Plan>();

type UncheckedPlan = Pick<CheckedPlan, "plan" | "parts" | "uses">;

function makePlan(spec: ChainSpec, report: ChainReport, context: PlanContext): UncheckedPlan {
  checkChainName(spec, report);
  const names = readStepNames(spec.steps, report);
  const finder = new TargetFinder(context, report, { name: spec.name, plan: () => plan });
  const reader = new PartReader(report);
  const handling =
    spec.error_handling === undefined
      ? noHandling
      : readHandling(spec.error_handling, ["error_handling"], { report, reader, finder });
  const hasStarted = context.taint === "unchecked";
  const parts = spec.steps.map((step, index) =>
    compileStep(step, index, { report, finder, reader, handling, chain: spec.name, hasStarted }),
  );
  const output = spec.output === undefined ? undefined : reader.value(spec.output, ["output"], "output");
  const { uses } = reader;
  const all = [...uses, ...parts.flatMap((step) => step.uses)];
  const input = spec.input === undefined ? undefined : readInputs(spec.input, report);
  const known = {
    ...names,
    ...outerNames(spec, context, report),
    inputs: input && new Set(Object.keys(propertiesOf(input))),
  };
  const checker = new ReferenceChecker(known, report);
  for (const use of uses) checker.check(use, undefined);
  const links = link(parts, names, { checker, report });
  checkUnfinished({ parts, links, names, uses }, report);
  checkTexts(spec, known, report);
  if (spec.input !== undefined) warnUnusedInputs(spec, all, report);
  const steps = parts.map(({ step }) => step);
  checkEventsReach(spec, steps, report);
  const inferred = (): Schema => fromJsonSchema(inferInputs(all, steps, spec.error_handling));
  const plan: Plan = assemble({
    spec,
    context,
    input: input === undefined ? inferred : inputSchema(input, report),
    output,
    steps: parts,
    links,
  });
  return { plan, parts, uses };
}

/** A run without a journal receives no events. */
function checkEventsReach({ durable }: ChainSpec, steps: readonly UnlinkedStep[], report: ChainReport): void {
  const step = steps.find(({ wait }) => wait?.kind === "event");
  if (durable !== false || step === undefined) return;
  const message = `the step "${step.id}" waits for an event, which reaches only a durable run`;
  report.add("bad_wait", ["durable"], [message, { hint: "remove durable: false" }]);
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

/** Warns of inputs that have no effect. Reported once the chain has no errors. */
function warnUnusedInputs({ input = {} }: ChainSpec, uses: readonly ReferenceUse[], report: ChainReport): void {
  if (report.failed) return;
  const part = Array.isArray(input) ? "value" : "key";
  for (const [name, path] of unusedInputs(input, uses)) {
    const message = `the input "${name}" is not used`;
    const hint = `use it as \${input.${name}}, or remove it`;
    report.add("unused_input", path, [message, { hint, part, severity: "warning" }]);
  }
}

function checkChainName({ name, timeout }: ChainSpec, report: ChainReport): void {
  checkDuration(timeout, ["timeout"], report);
  // A missing name has been reported.
  const why = name === "" ? undefined : toolNameProblem(name);
  if (why === undefined) return;
  const better = suggestName(name, "chain-");
  const hint = better === undefined ? undefined : `use the name ${JSON.stringify(better)}`;
  report.add("bad_chain_name", ["name"], [`the name ${JSON.stringify(name.slice(0, 80))} ${why}`, { hint }]);
}

/** Names of environment variables and secrets. A variable that the workspace does not allow is reported. */
function outerNames(
  { env = [] }: ChainSpec,
  context: PlanContext,
  report: ChainReport,
): { readonly env: ReadonlySet<string>; readonly secrets: ReadonlySet<string> | undefined } {
  const allowed = context.env === undefined ? undefined : new Set(context.env);
  for (const [index, name] of env.entries()) {
    if (allowed === undefined || allowed.has(name)) continue;
    const hint = report.suggest(name, allowed, `add it to "env" of the workspace`);
    report.add(
      "env_not_allowed",
      ["env", index],
      [`the workspace does not allow the environment variable ${JSON.stringify(name)}`, { hint }],
    );
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
  /** A function infers it. */
  readonly input: Schema | (() => Schema);
  readonly output: CompiledValue | undefined;
  readonly steps: readonly CompiledStep[];
  readonly links: readonly Links[];
}

function assemble({ spec, context, input, output, steps: parts, links }: PlanParts): Plan {
  const steps = parts.map(({ step }, index): PlanStep => ({ ...step, ...(links[index] ?? noLinks) }));
  let effect: ChainEffect | undefined;
  let inputs = typeof input === "function" ? undefined : input;
  return {
    name: spec.name,
    description: (spec.description ?? "").trim(),
    version: spec.version ?? "1.0.0",
    spec,
    // Inferred on demand, like the effect below: a chain may call chains that are not planned yet.
    get input() {
      return (inputs ??= typeof input === "function" ? input() : input);
    },
    steps,
    first: steps.flatMap(({ index, needs }) => (needs.length === 0 ? [index] : [])),
    byId: new Map(steps.map((step) => [step.id, step])),
    env: spec.env ?? [],
    maxParallel: spec.max_parallel ?? context.maxParallel ?? chainTable.maxParallel.default,
    timeoutMs: parseChainDuration(spec.timeout),
    durable: spec.durable,
    taint: context.taint === "strict" ? "strict" : (spec.taint ?? "show"),
    output,
    get effect() {
      return (effect ??= chainEffect(steps)).effect;
    },
    get destructive() {
      return (effect ??= chainEffect(steps)).destructive;
    },
  };
}

const noLinks: Links = { needs: [], dependents: [], reads: [], relies: [] };

/** The declared inputs as one JSON Schema: a map of names and types, or a list as in tool files. */
export function readInputs(inputs: NonNullable<ChainSpec["input"]>, report: ChainReport): JsonSchema {
  return isList(inputs)
    ? readParameterList(inputs, ["input"], report)
    : readParameterMap(inputs, { path: ["input"], noun: "an input" }, report);
}

function isList(inputs: NonNullable<ChainSpec["input"]>): inputs is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(inputs);
}

/**
 * Declared inputs that no expression reads, each with its path; none if an expression reads all of them, or one that is
 * known only at run time. An input with a description and a default is intended for callers.
 */
export function unusedInputs(
  declared: NonNullable<ChainSpec["input"]>,
  uses: Iterable<ReferenceUse>,
): ReadonlyMap<string, YamlPath> {
  const inputs = isList(declared)
    ? declared.map((input, index) => [String(input["name"]), input, ["input", index, "name"]] as const)
    : Object.entries(declared).map(([name, input]) => [name, input, ["input", name]] as const);
  const unused = new Map(inputs.flatMap(([name, input, path]) => (isOffered(input) ? [] : [[name, path]])));
  for (const { reference } of uses) {
    if (reference.root !== "input") continue;
    const [name] = reference.path;
    if (typeof name !== "string") return new Map();
    unused.delete(name);
  }
  return unused;
}

function isOffered(input: unknown): boolean {
  return isRecord(input) && input["description"] !== undefined && input["default"] !== undefined;
}

/** Roles of expressions that are evaluated when a step fails; the step does not wait for the steps that they read. */
const afterFailure: ReadonlySet<ExpressionRole> = new Set(["fallback", "retry"]);

/** The steps of a chain, with their connections and the references of the chain itself. */
interface LinkedChain {
  readonly parts: readonly CompiledStep[];
  readonly links: readonly Links[];
  readonly names: StepNames;
  readonly uses: readonly ReferenceUse[];
}

/**
 * Warns of fallbacks and retry conditions that read a step which may still be running: the value would be missing, and
 * only sometimes.
 */
function checkUnfinished({ parts, links, names, uses }: LinkedChain, report: ChainReport): void {
  for (const [index, part] of parts.entries()) {
    for (const use of part.uses) check(use, [index]);
  }
  const inherit = parts.flatMap(({ step }, index) => (step.spec.error_handling === undefined ? [index] : []));
  for (const use of uses) check(use, inherit);

  function check(use: ReferenceUse, readers: readonly number[]): void {
    const { reference, role, path } = use;
    if (!afterFailure.has(role) || reference.guarded) return;
    const read = stepOf(use, names);
    if (read === undefined) return;
    const reader = readers.find((index) => index !== read && !waitsFor(index, read, links));
    if (reader === undefined) return;
    const [id, by] = [read, reader].map((index) => parts[index]?.step.id ?? "");
    const message = `"${by}" does not wait for "${id}", which may still be running: then this has no value`;
    const hint = `add depends_on: [${id}] to "${by}", or write \${${reference.text} ?? …}`;
    const inside = [reference.at, reference.length] as const;
    report.add("unfinished_step", path, [message, { hint, inside, severity: "warning" }]);
  }
}

/** The step that a reference reads. */
function stepOf({ reference: { root, path } }: ReferenceUse, { byId, byAs }: StepNames): number | undefined {
  const [name] = path;
  if (typeof name !== "string") return undefined;
  return root === "steps" ? byId.get(name) : root === "context" ? byAs.get(name) : undefined;
}

/** True if a step starts only after the other one has settled. Without recursion: a chain may be long. */
function waitsFor(step: number, other: number, links: readonly Links[]): boolean {
  const reached = new Set([step]);
  for (const index of reached) {
    for (const need of links[index]?.needs ?? []) {
      if (need === other) return true;
      reached.add(need);
    }
  }
  return false;
}
