import { type Clock, systemClock, brandOf } from "../../base/index.ts";
import type { Resolver } from "../../engine/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import { type AnyTool, type Registration, type ToolRegistry, nameToCall } from "../../tool/index.ts";
import { builtInContracts } from "./built-in-contracts.ts";
import { type Choice, candidatesOf, isUnavailable } from "./candidate.ts";
import { CapabilityIndex, onePerSource } from "./capability-index.ts";
import { canBeShortName } from "../mcp/mcp-names.ts";
import { ChoiceHistory } from "./choice-history.ts";
import type { ChoiceDeps } from "./choice-deps.ts";
import { compositeTool } from "./composite-tool.ts";
import type { Contract } from "./contract.ts";
import { capabilityName, deriveCapabilities } from "./derive-capabilities.ts";
import { type HubLimits, defaultHubLimits } from "./hub-limits.ts";
import { servingCandidates, defaultStrategy } from "./serving-candidates.ts";
import type { Synthesizer } from "./synthesize-results.ts";
import { ToolBreakers } from "./tool-breakers.ts";
import { type ChoiceStrategy, kindOf } from "./tool-kind.ts";

/** Options of a {@link Hub}. */
export interface HubOptions {
  readonly registry: ToolRegistry;
  /** Keywords of capabilities, in addition to the built-in ones. */
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  /** Capabilities of tools, by `mcp:server`, `mcp:server/tool` or the name of a tool. */
  readonly declared?: Readonly<Record<string, readonly string[]>>;
  /** Contracts of the workspace; they go before those that are built in. */
  readonly contracts?: readonly Contract[];
  readonly limits?: Partial<HubLimits>;
  /** Combines texts. Default: their beginnings are joined. */
  readonly synthesiser?: Synthesizer;
  /** Redacts secrets in the synthesizer's input. */
  readonly redactor?: Redactor;
  /** True if the settings allow a tool to be called. Default: all tools. */
  readonly isAvailable?: (tool: AnyTool) => boolean;
  readonly whyMissing?: Resolver["whyMissing"];
  readonly fileError?: Resolver["fileError"];
  readonly clock?: Clock;
}

/** Details of one capability. */
export interface CapabilityInfo {
  readonly name: string;
  /** The tools that serve it, best first. */
  readonly tools: readonly string[];
  /** Tools that have it and cannot serve it, and why. */
  readonly unfit: readonly string[];
  /** Strategy, if all tools are available. */
  readonly strategy: ChoiceStrategy;
  readonly contract: Contract | undefined;
}

type ByName = Pick<ToolRegistry, "resolve">;

const prefix = "capability:";
/** A longer name cannot be a capability. */
const maxCapabilityLength = 128;

/**
 * Finds tools by name, alias, `server/tool`, `tools/NAME`, `skills/NAME` and `capability:NAME`. A name with one
 * candidate leads straight to it; several candidates become one tool that chooses among them.
 *
 * @example
 * ```ts
 * const hub = new Hub({ registry });
 * const engine = createEngine({ registry, resolver: hub });
 * await engine.call("capability:search", { query: "tide mills" });
 * ```
 *
 * @see docs/guide/hub.md
 */
export class Hub implements Resolver {
  readonly whyMissing: NonNullable<Resolver["whyMissing"]>;
  readonly fileError: Resolver["fileError"];
  readonly #registry: ToolRegistry;
  readonly #index: CapabilityIndex;
  readonly #world: ChoiceDeps;
  readonly #histories = new Map<string, ChoiceHistory>();
  /**
   * Resolved names, as long as the registry does not change. It holds only names that resolve, in their canonical form,
   * so it cannot grow without bound.
   */
  readonly #known = new Map<string, Registration>();
  #seen = -1;
  /** A choice keeps its tool as long as its candidates are the same, so that nothing is taken for changed. */
  readonly #choices = new Map<string, { readonly choice: Choice; readonly registration: Registration }>();
  readonly #chosen = new WeakMap<AnyTool, Registration>();
  /** Tools of servers by their short names. */
  #shortNames: ReadonlyMap<string, readonly Registration[]> | undefined;
  #contracts: ReadonlyMap<string, Contract> | undefined;
  #own: readonly Contract[];
  #ownVersion = 0;

  constructor(options: HubOptions) {
    const { registry, clock = systemClock, isAvailable = () => true, keywords, declared = {} } = options;
    const limits = { ...defaultHubLimits, ...options.limits };
    this.whyMissing = (name) => options.whyMissing?.(name) ?? this.#whyUnserved(name);
    this.fileError = options.fileError;
    this.#registry = registry;
    this.#own = options.contracts ?? [];
    this.#index = new CapabilityIndex({
      registry,
      derive: deriveCapabilities(keywords),
      declared,
      canonical: (capability) => this.canonical(capability),
    });
    this.#world = {
      clock,
      limits,
      isAvailable,
      breakers: new ToolBreakers(limits),
      synthesiser: options.synthesiser,
      redactor: options.redactor,
      historyOf: (name) => this.#historyOf(name),
    };
  }

  /** Changes whenever a name may lead somewhere else. */
  get version(): number {
    return this.#registry.version + this.#ownVersion;
  }

  resolve(name: string): Registration | undefined {
    if (this.#registry.version !== this.#seen) this.#renew();
    return this.#known.get(name) ?? this.#find(name);
  }

  /**
   * The same without the tools of {@link ToolRegistry.registerLazily}: for the planner of chains, because the lazily
   * registered tools are chains.
   */
  get present(): Resolver & { readonly version: number } {
    const version = (): number => this.version;
    return {
      resolve: (name) => {
        if (this.#registry.version !== this.#seen) this.#renew();
        return this.#known.get(name) ?? this.#lookUp(name, this.#registry.present);
      },
      names: () => [...this.#registry.present.names(), ...this.capabilityNames().map((name) => prefix + name)],
      registrationOf: (tool) => this.registrationOf(tool),
      whyMissing: this.whyMissing,
      fileError: this.fileError,
      get version() {
        return version();
      },
    };
  }

  /** Every name and alias, and every capability, for suggestions. */
  *names(): Iterable<string> {
    yield* this.#registry.names();
    for (const name of this.capabilityNames()) yield prefix + name;
  }

  registrationOf(tool: AnyTool): Registration | undefined {
    return this.#chosen.get(tool) ?? this.#registry.registrationOf(tool);
  }

  /** Makes the contracts of the workspace exactly these. */
  setContracts(contracts: readonly Contract[]): void {
    this.#own = contracts;
    this.#contracts = undefined;
    this.#ownVersion++;
    this.#renew();
  }

  /** The tools that a name may lead to, best first. The order does not change by calls. */
  candidates(name: string): readonly Registration[] {
    if (name.startsWith(prefix)) return this.withCapability(name.slice(prefix.length));
    return this.#entitled(this.#sharing(name, this.#registry));
  }

  /** The tools that have a capability, best first. The order does not change by calls. */
  withCapability(capability: string): readonly Registration[] {
    if (this.#registry.version !== this.#seen) this.#renew();
    return this.#index.find(capability);
  }

  /** Every capability that some tool has. */
  capabilityNames(): readonly string[] {
    if (this.#registry.version !== this.#seen) this.#renew();
    return this.#index.names();
  }

  /** The capabilities of a tool, declared or derived. */
  capabilitiesOf(registration: Registration): readonly string[] {
    return this.#index.of(registration);
  }

  /** Every capability that some tool has or the workspace describes, with the tools that serve it, for people. */
  capabilities(): readonly CapabilityInfo[] {
    const described = this.#own.map(({ name }) => name);
    return [...new Set([...this.capabilityNames(), ...described])].toSorted().map((name) => {
      const contract = this.#contractOf(name);
      const isUsable = contract?.broken === undefined;
      const { candidates, unfit } = servingCandidates(isUsable ? this.withCapability(name) : [], contract);
      const strategy = defaultStrategy(contract?.kind ?? kindOf([name]), candidates);
      return { name, tools: candidates.map(({ label }) => label), unfit, strategy, contract };
    });
  }

  /** The one name of a capability that is written in many ways, or known by other names. */
  canonical(capability: string): string {
    const name = capabilityName(capability);
    return this.#contractOf(name)?.name ?? name;
  }

  #renew(): void {
    this.#seen = this.#registry.version;
    this.#known.clear();
    this.#shortNames = undefined;
    this.#index.forget();
  }

  #find(name: string): Registration | undefined {
    const found = this.#lookUp(name, this.#registry);
    if (found !== undefined && isPlain(name)) this.#known.set(name, found);
    return found;
  }

  #lookUp(name: string, tools: ByName): Registration | undefined {
    return name.startsWith(prefix) ? this.#byCapability(name.slice(prefix.length)) : this.#byName(name, tools);
  }

  #byName(name: string, tools: ByName): Registration | undefined {
    const candidates = this.#entitled(this.#sharing(name, tools));
    const [first] = candidates;
    if (first === undefined) return this.#ofSource(name, tools);
    if (candidates.length === 1) return first;
    const usable = candidates.filter(({ tool }) => !isUnavailable(tool));
    if (first.source !== "mcps" && !usable.some((one) => this.#isOwn(one))) return first;
    if (usable.length < 2) return usable[0] ?? first;
    const kind = kindOf(usable.flatMap((registration) => this.#index.of(registration)));
    const joins = (one: Registration): boolean => one.source !== "mcps" || this.#index.of(one).length > 0;
    const named = first.source === "mcps" ? name : nameToCall(first.tool);
    const joined = candidatesOf(usable, undefined, joins);
    return this.#choose({ name: named, kind, shape: this.#all().get(kind), byCapability: false, ...joined });
  }

  /**
   * Excludes tools of servers that share the name of another tool and have no declaration in the workspace: a server
   * does not change a tool, or get its calls, by choosing its name.
   */
  #entitled(all: readonly Registration[]): readonly Registration[] {
    if (all[0] === undefined || all[0].source === "mcps") return all;
    return all.filter((one) => one.source !== "mcps" || this.#index.of(one).length > 0);
  }

  /** The calls of a tool that is switched off or broken do not go to a server's tool of the same name. */
  #isOwn({ source, tool }: Registration): boolean {
    return source !== "mcps" && this.#world.isAvailable(tool);
  }

  /** Every tool of a name: by the name itself, by the name that it is an alias of, or by a server's short name. */
  #sharing(name: string, tools: ByName): readonly Registration[] {
    const best = tools.resolve(name);
    if (best === undefined) return this.#short().get(name) ?? [];
    // An alias resolves like the name; a server's short name is an alias that several may have.
    const known = best.source === "mcps" ? name : nameToCall(best.tool);
    const own = onePerSource(this.#registry.present.candidates(known));
    const servers = this.#short().get(known) ?? [];
    if (servers.length === 0 || best.source === "chains") return own;
    return best.source === "mcps" ? servers : [...own, ...servers];
  }

  #short(): ReadonlyMap<string, readonly Registration[]> {
    if (this.#shortNames !== undefined) return this.#shortNames;
    const found = new Map<string, Registration[]>();
    for (const [name, [best]] of this.#registry.present.entries()) {
      const slash = name.indexOf("/");
      if (slash === -1 || best?.source !== "mcps") continue;
      const short = name.slice(slash + 1);
      if (!canBeShortName(short) || this.#registry.isReserved(short)) continue;
      const others = found.get(short);
      if (others === undefined) found.set(short, [best]);
      else others.push(best);
    }
    this.#shortNames = found;
    return found;
  }

  /** `tools/NAME`: the candidate of one source. */
  #ofSource(name: string, tools: ByName): Registration | undefined {
    const slash = name.indexOf("/");
    if (slash === -1) return undefined;
    const source = name.slice(0, slash);
    return this.#sharing(name.slice(slash + 1), tools).find((candidate) => candidate.source === source);
  }

  #byCapability(value: string): Registration | undefined {
    if (value.length > maxCapabilityLength) return undefined;
    const all = this.#index.find(value);
    const usable = all.filter(({ tool }) => !isUnavailable(tool));
    const registrations = usable.length > 0 ? usable : all;
    const [only] = registrations;
    const requested = capabilityName(value);
    const contract = this.#contractOf(requested);
    if (contract?.broken !== undefined) return this.#refusing(contract);
    if (only === undefined) return undefined;
    const joined = servingCandidates(registrations, contract);
    if (contract === undefined && joined.candidates.length === 1) return only;
    const name = contract?.name ?? requested;
    const kind = contract?.kind ?? kindOf([name]);
    return this.#choose({ name: prefix + name, kind, contract, shape: contract, byCapability: true, ...joined });
  }

  /** A capability whose contract cannot be used: a call returns the reason. */
  #refusing(contract: Contract): Registration {
    const { name, kind } = contract;
    return this.#choose({ name: prefix + name, kind, contract, byCapability: true, candidates: [], unfit: [] });
  }

  /** The tool of a choice: the existing one, if nothing changed. */
  #choose(choice: Choice): Registration {
    const before = this.#choices.get(choice.name);
    if (before !== undefined && isSame(before.choice, choice)) return before.registration;
    const tool = compositeTool(choice, this.#world);
    const among = choice.candidates.map((candidate) => candidate.registration);
    const priority = among[0]?.priority ?? 0;
    const registration: Registration = {
      tool,
      source: "hub",
      owner: "hub",
      priority,
      isChoice: true,
      candidates: among,
    };
    this.#choices.set(choice.name, { choice, registration });
    this.#chosen.set(tool, registration);
    return registration;
  }

  /** A capability that is described, and that no tool has. */
  #whyUnserved(name: string): string | undefined {
    const contract = name.startsWith(prefix) ? this.#contractOf(capabilityName(name.slice(prefix.length))) : undefined;
    return (
      contract && `${contract.file ?? "a built-in contract"} describes the capability, but no available tool has it`
    );
  }

  #historyOf(name: string): ChoiceHistory {
    let history = this.#histories.get(name);
    if (history === undefined) this.#histories.set(name, (history = new ChoiceHistory(this.#world.limits.recencyMs)));
    return history;
  }

  #contractOf(capability: string): Contract | undefined {
    return this.#all().get(capability);
  }

  /** Contracts by their names and, if no other has that name, by their aliases. */
  #all(): ReadonlyMap<string, Contract> {
    if (this.#contracts !== undefined) return this.#contracts;
    const byName = new Map(builtInContracts());
    for (const contract of this.#own) byName.set(contract.name, contract);
    const all = new Map(byName);
    for (const contract of byName.values())
      for (const alias of contract.aliases) if (!all.has(alias)) all.set(alias, contract);
    this.#contracts = all;
    return all;
  }
}

/** True for a {@link Hub}, of this or another copy of Windlass. */
export const isHub: (value: unknown) => value is Hub = brandOf(Hub, "hub");

/** Capabilities can be written in many ways. */
function isPlain(name: string): boolean {
  return !name.startsWith(prefix) || name === prefix + capabilityName(name.slice(prefix.length));
}

function isSame(one: Choice, other: Choice): boolean {
  return (
    one.contract === other.contract &&
    one.shape === other.shape &&
    one.kind === other.kind &&
    one.candidates.length === other.candidates.length &&
    one.candidates.every((candidate, at) => {
      const twin = other.candidates[at];
      const { tool, source, priority } = candidate.registration;
      return (
        twin?.registration.tool === tool &&
        twin.registration.source === source &&
        twin.registration.priority === priority &&
        twin.joins === candidate.joins
      );
    })
  );
}
