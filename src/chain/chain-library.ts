import { FailureError } from "../base/index.ts";
import type { Resolver } from "../engine/index.ts";
import { type Problem, hasErrors } from "../text/index.ts";
import type { AnyTool, RegistryChange, ToolRegistry } from "../tool/index.ts";
import { ChainError } from "./chain-error.ts";
import { chainTool } from "./chain-tool.ts";
import { planChain } from "./plan/plan-chain.ts";
import type { PlanContext } from "./plan/plan-context.ts";
import type { Plan } from "./plan/plan.ts";
import type { ChainSpec } from "./plan/spec.ts";

/** Where a chain comes from: a file's text, or data. */
export type LibrarySource =
  | {
      readonly name: string;
      readonly text: string;
      readonly file: string;
      /** Tools without which it cannot be planned; before they are all there it is not registered, nor looked at. */
      readonly needs?: readonly string[];
    }
  | { readonly name: string; readonly spec: ChainSpec };

/** What a {@link ChainLibrary} takes. */
export interface ChainLibraryOptions extends Omit<PlanContext, "chains" | "chainNames"> {
  readonly tools: Resolver;
}

interface Planned {
  readonly plan: Plan | undefined;
  readonly problems: readonly Problem[];
}

interface Entry {
  readonly source: LibrarySource;
  planned: Planned | undefined;
}

/**
 * Chains by name, which may call each other. Each is planned when it is first asked for.
 *
 * @example
 * ```ts
 * const chains = new ChainLibrary({ tools: engine.tools });
 * chains.add({ name: "greet", spec });
 * await runChain(chains.plan("greet"), { engine, chains });
 * ```
 */
export class ChainLibrary {
  readonly #options: ChainLibraryOptions;
  readonly #entries = new Map<string, Entry>();
  /** A plan keeps its tool as long as it lives, so that nothing is told as changed that is not. */
  readonly #tools = new WeakMap<Plan, AnyTool>();
  /** Of the tools, when the chains were last planned. */
  #version: number | undefined;

  constructor(options: ChainLibraryOptions) {
    this.#options = options;
  }

  /** Adds a chain, or replaces the one of the same name. Those that call it are planned anew. */
  add(source: LibrarySource): void {
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

  sourceOf(name: string): LibrarySource | undefined {
    return this.#entries.get(name)?.source;
  }

  /** What plans need to know; chains find each other through it. */
  get context(): PlanContext {
    return {
      ...this.#options,
      chains: (name) => (this.#entries.has(name) ? () => this.plan(name) : undefined),
      chainNames: () => this.#entries.keys(),
    };
  }

  /** Everything that is wrong with a chain of the library, or with none of that name an empty list. */
  problems(name: string): readonly Problem[] {
    const entry = this.#entries.get(name);
    return entry === undefined ? [] : this.#planned(entry).problems;
  }

  /** The plan of a chain; throws when there is none or it is not valid. */
  plan(name: string): Plan {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new FailureError(`there is no chain named "${name}"`, { code: "tool_not_found" });
    const { plan, problems } = this.#planned(entry);
    if (plan !== undefined && !hasErrors(problems)) return plan;
    throw new ChainError(problems, "text" in entry.source ? entry.source.text : undefined);
  }

  /**
   * Registers every valid chain as a tool, so that whoever can call a tool can call it; one that is no longer valid is
   * taken out, and its name stays its own. A tool of the same name goes first. `env` has the values that the chains may read.
   */
  registerIn(registry: ToolRegistry, env: Readonly<Record<string, string>> = {}): RegistryChange {
    const tools = [...this.#entries.values()].flatMap((entry) => {
      if (this.#lacks(entry.source)) return [];
      const { plan, problems } = this.#planned(entry);
      return plan === undefined || hasErrors(problems) ? [] : [this.#toolOf(plan, env)];
    });
    const isCurrent = this.#version === this.#options.tools.version;
    const change = registry.replace(tools, { source: "chains", priority }, this.#entries.keys());
    // A chain is found here before it is found as a tool: registering it changes no plan.
    if (isCurrent) this.#version = this.#options.tools.version;
    return change;
  }

  #lacks(source: LibrarySource): boolean {
    const { tools } = this.#options;
    const needs = ("needs" in source ? source.needs : undefined) ?? [];
    return needs.some((name) => !this.has(name) && tools.resolve(name) === undefined);
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
const priority = 3;
