import { FailureError } from "../base/index.ts";
import type { Resolver } from "../engine/index.ts";
import { type Problem, hasErrors } from "../text/index.ts";
import { type AnyTool, type RegistryChange, type ToolRegistry, builtinOwner, fingerprintTool } from "../tool/index.ts";
import { ChainError } from "./plan/chain-error.ts";
import { chainTool } from "./chain-tool.ts";
import { planChain } from "./plan/plan-chain.ts";
import type { PlanContext, Plan } from "./plan/plan.ts";
import type { ChainSpec } from "./plan/chain-spec.ts";

/** Source of a chain: the text of a file, or data. */
export type ChainLibrarySource =
  | {
      readonly name: string;
      readonly text: string;
      readonly file: string;
      /**
       * Tools without which the chain cannot be planned. Until all of them exist it is neither planned nor registered.
       */
      readonly needs?: readonly string[];
      /** It is part of Windlass, and not of the workspace. */
      readonly isBuiltin?: boolean;
    }
  | { readonly name: string; readonly spec: ChainSpec };

/** Options of a {@link ChainLibrary}. */
export interface ChainLibraryOptions extends Omit<PlanContext, "chains" | "chainNames"> {
  readonly tools: Resolver;
}

interface Planned {
  readonly plan: Plan | undefined;
  readonly problems: readonly Problem[];
}

interface Entry {
  readonly source: ChainLibrarySource;
  planned: Planned | undefined;
}

/**
 * Chains by name, which may call each other. Each is planned when it is first requested.
 *
 * @example
 * ```ts
 * const chains = new ChainLibrary({ tools: engine.tools });
 * chains.add({ name: "greet", spec });
 * await runChain(chains.plan("greet"), { engine, chains });
 * ```
 *
 * @see docs/guide/chains.md
 */
export class ChainLibrary {
  readonly #options: ChainLibraryOptions;
  readonly #entries = new Map<string, Entry>();
  /** A plan keeps the same tool object as long as it lives, so that an unchanged chain is not reported as changed. */
  readonly #tools = new WeakMap<Plan, AnyTool>();
  /** Visible properties of each registered chain, with its source. */
  readonly #registered = new WeakMap<ToolRegistry, ReadonlyMap<string, string>>();
  /** Version of the tools when the chains were last planned. */
  #version: number | undefined;

  constructor(options: ChainLibraryOptions) {
    this.#options = options;
  }

  /** Adds a chain, or replaces the one of the same name. Chains that call it are planned again. */
  add(source: ChainLibrarySource): void {
    this.#forgetPlans();
    this.#entries.set(source.name, { source, planned: undefined });
  }

  remove(name: string): void {
    if (this.#entries.delete(name)) this.#forgetPlans();
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  sourceOf(name: string): ChainLibrarySource | undefined {
    return this.#entries.get(name)?.source;
  }

  /** Context for planning; chains find each other through it. */
  get context(): PlanContext {
    return {
      ...this.#options,
      chains: (name) => (this.#entries.has(name) ? () => this.plan(name) : undefined),
      chainNames: () => this.#entries.keys(),
    };
  }

  /** Problems of a chain of the library; an empty list if there is no chain of that name. */
  problems(name: string): readonly Problem[] {
    const entry = this.#entries.get(name);
    return entry === undefined ? [] : this.#planned(entry).problems;
  }

  /** The plan of a chain; throws if there is none or it is not valid. */
  plan(name: string): Plan {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new FailureError(`there is no chain named "${name}"`, { code: "tool_not_found" });
    const { plan, problems } = this.#planned(entry);
    if (plan !== undefined && !hasErrors(problems)) return plan;
    throw new ChainError(problems, "text" in entry.source ? entry.source.text : undefined);
  }

  /**
   * Registers every valid chain as a tool, so that every caller of tools can call it. A chain that is no longer valid
   * is removed, and its name stays reserved. A tool of the same name takes precedence. `env` holds the values that the
   * chains may read. A chain that was only planned again, because something else changed, is not reported as updated.
   */
  registerIn(registry: ToolRegistry, env: Readonly<Record<string, string>> = {}): RegistryChange {
    const [own, builtin] = [false, true].map((isBuiltin) => this.#usable(isBuiltin, env));
    const isCurrent = this.#version === this.#options.tools.version;
    const replaced = registry.unreported(() =>
      mergeChanges(
        registry.replace(own ?? [], origin, this.#entries.keys()),
        registry.replace(builtin ?? [], { ...origin, owner: builtinOwner }),
      ),
    );
    const change = this.#visible(registry, replaced, [...(own ?? []), ...(builtin ?? [])]);
    registry.report(change, origin);
    // A chain is found here before it is found as a tool: registering it changes no plan.
    if (isCurrent) this.#version = this.#options.tools.version;
    return change;
  }

  /** The change without chains that are the same as before. */
  #visible(registry: ToolRegistry, change: RegistryChange, tools: readonly AnyTool[]): RegistryChange {
    const before = this.#registered.get(registry);
    const after = new Map(tools.map((tool) => [tool.name, this.#describe(tool)]));
    this.#registered.set(registry, after);
    return { ...change, updated: change.updated.filter((name) => before?.get(name) !== after.get(name)) };
  }

  #describe(tool: AnyTool): string {
    const { description, destructive, timeoutMs, name } = tool;
    const source = this.#entries.get(name)?.source;
    const written = source !== undefined && "text" in source ? source.text : source?.spec;
    return JSON.stringify([fingerprintTool(tool), description, destructive, timeoutMs, written]);
  }

  /** The tools of the valid chains: the built-in ones, or the others. */
  #usable(isBuiltin: boolean, env: Readonly<Record<string, string>>): AnyTool[] {
    return [...this.#entries.values()].flatMap((entry) => {
      const { source } = entry;
      if (isBuiltin !== ("isBuiltin" in source && source.isBuiltin) || this.#lacks(source)) return [];
      const { plan, problems } = this.#planned(entry);
      return plan === undefined || hasErrors(problems) ? [] : [this.#toolOf(plan, env)];
    });
  }

  #lacks(source: ChainLibrarySource): boolean {
    const needs = ("needs" in source ? source.needs : undefined) ?? [];
    return needs.some((name) => !this.has(name) && this.#options.tools.resolve(name) === undefined);
  }

  #toolOf(plan: Plan, env: Readonly<Record<string, string>>): AnyTool {
    const known = this.#tools.get(plan);
    if (known !== undefined) return known;
    const tool = chainTool(plan, { env });
    this.#tools.set(plan, tool);
    return tool;
  }

  #planned(entry: Entry): Planned {
    const { version } = this.#options.tools;
    if (version !== this.#version) this.#forgetPlans();
    this.#version = version;
    if (entry.planned === undefined) {
      // A chain that calls itself finds this while it is being planned.
      const { plan, problems } = planChain(entry.source, this.context);
      entry.planned = { plan, problems };
    }
    return entry.planned;
  }

  #forgetPlans(): void {
    for (const entry of this.#entries.values()) entry.planned = undefined;
  }
}

/** Behind tools, skills and servers. */
const origin = { source: "chains", priority: 3 } as const;

/** A chain that replaces a built-in one of its name, or is replaced by it, is updated. */
function mergeChanges(one: RegistryChange, other: RegistryChange): RegistryChange {
  const [added, removed] = [
    [...one.added, ...other.added],
    [...one.removed, ...other.removed],
  ];
  const replaced = added.filter((name) => removed.includes(name));
  return {
    added: added.filter((name) => !replaced.includes(name)),
    updated: [...one.updated, ...other.updated, ...replaced],
    removed: removed.filter((name) => !replaced.includes(name)),
  };
}
