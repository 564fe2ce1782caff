import { canonicalJson, jsonText } from "../../base/index.ts";
import { isRecord, setOwn } from "../../schema/index.ts";
import { type AnyTool, fingerprintTool } from "../../tool/index.ts";
import { callsOf } from "./chain-effect.ts";
import { type PlanChainResult, planChain } from "./plan-chain.ts";
import type { PlanContext, Plan } from "./plan.ts";
import type { ChainSpec } from "./chain-spec.ts";
import { awaitedEventNames } from "./wait-step.ts";

/** Everything needed to restore the same plan, even if the files have changed. */
export interface Snapshot {
  /** The chain and every chain that it can call, as JSON text for {@link planFromSnapshot}. */
  readonly definition: string;
  /** Every tool that they name, with a hash of its relevant properties. */
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly tools: ReadonlyMap<string, AnyTool>;
}

interface Definition {
  /** The name of the chain that is run. */
  readonly chain: string;
  /** File that it was read from; absent for a chain that is found by its name. */
  readonly file?: string;
  readonly chains: Readonly<Record<string, ChainSpec>>;
}

/**
 * The chain of a plan with all chains that it can call, and the file that it was read from if given. Throws if a chain
 * that it calls cannot be planned.
 */
export function snapshotOf(plan: Plan, file?: string): Snapshot {
  const chains: Record<string, ChainSpec> = {};
  const fingerprints: Record<string, string> = {};
  const tools = new Map<string, AnyTool>();
  const open: (readonly [name: string, plan: Plan])[] = [[plan.name, plan]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [name, current] = next;
    if (Object.hasOwn(chains, name)) continue;
    // Settings of the workspace at that time stay in effect. A run does not need the triggers.
    const { maxParallel, taint } = current;
    const { on: _, ...spec } = current.spec;
    setOwn(chains, name, { ...spec, max_parallel: maxParallel, ...(taint === "strict" && { taint }) });
    for (const { target } of callsOf(current.steps.filter(({ wait }) => wait === undefined))) {
      if (target.tool !== undefined) {
        setOwn(fingerprints, target.name, fingerprintTool(target.tool));
        tools.set(target.name, target.tool);
      } else if (target.chain !== undefined && !Object.hasOwn(chains, target.name)) {
        open.push([target.name, target.name === plan.name ? plan : target.chain()]);
      }
    }
  }
  const text = jsonText({ chain: plan.name, ...(file !== undefined && { file }), chains } satisfies Definition);
  // Specs are JSON: they were parsed from it.
  return { definition: "text" in text ? text.text : "", fingerprints, tools };
}

/** The file that the chain of a snapshot was read from; undefined if it is found by its name. */
export function fileOfSnapshot(definition: string): string | undefined {
  const file = readDefinition(definition)?.file;
  return typeof file === "string" ? file : undefined;
}

/** Names of the external events that the chains of a snapshot wait for; undefined if one is known only at run time. */
export function eventsOfSnapshot(definition: string): ReadonlySet<string> | undefined {
  const chains = readDefinition(definition)?.chains ?? {};
  return awaitedEventNames(Object.values(chains).flatMap(({ steps }) => steps));
}

/** True if two snapshots hold the same chains. */
export function sameChains(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [readDefinition(one), readDefinition(other)];
  return canonicalJson(first?.chains ?? null) === canonicalJson(second?.chains ?? null);
}

/**
 * Restores the plan of a snapshot. Its chains find only each other; tools are those of the context, so compare their
 * fingerprints before relying on them. Never throws.
 */
export function planFromSnapshot(definition: string, context: PlanContext): PlanChainResult {
  const read = readDefinition(definition);
  const root = read === undefined ? undefined : specOf(read, read.chain);
  if (read === undefined || root === undefined) return { problems: [unreadable] };
  const plans = new Map<string, Plan>();
  const planOf = (name: string, spec: ChainSpec): Plan => {
    const known = plans.get(name);
    if (known !== undefined) return known;
    const { plan, problems } = planChain({ spec }, inside);
    if (plan === undefined) throw new TypeError(problems.map(({ message }) => message).join("; "));
    plans.set(name, plan);
    return plan;
  };
  const inside: PlanContext = {
    ...context,
    chains: (name) => {
      const spec = specOf(read, name);
      return spec === undefined ? undefined : () => planOf(name, spec);
    },
    chainNames: () => Object.keys(read.chains),
  };
  return planChain({ spec: root }, inside);
}

function readDefinition(text: string): Definition | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || typeof value["chain"] !== "string" || !isRecord(value["chains"])) return undefined;
    // Each of the chains is checked when it is planned.
    return value as unknown as Definition;
  } catch {
    return undefined;
  }
}

function specOf({ chains }: Definition, name: string): ChainSpec | undefined {
  return Object.hasOwn(chains, name) ? chains[name] : undefined;
}

const unreadable = {
  severity: "error",
  code: "bad_snapshot",
  message: "the stored chain of the run cannot be read",
  hint: "start the chain again from its file",
  file: "<snapshot>",
  line: 1,
  column: 1,
} as const;
