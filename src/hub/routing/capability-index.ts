import { nameGlob } from "../../base/index.ts";
import type { Registration, ToolRegistry } from "../../tool/index.ts";
import { type DeriveCapabilities, capabilityName } from "./derive-capabilities.ts";

/** What {@link CapabilityIndex} goes by. */
export interface CapabilityOptions {
  readonly registry: ToolRegistry;
  readonly derive: DeriveCapabilities;
  /** What the workspace declares: `mcp:brave`, `mcp:brave/search` or the name of a tool, to capabilities. */
  readonly declared: Readonly<Record<string, readonly string[]>>;
  /** The one name of a capability that has several. */
  readonly canonical: (capability: string) => string;
}

interface Declaration {
  readonly matches: (registration: Registration, name: string) => boolean;
  readonly capabilities: readonly string[];
}

/**
 * Tools by what they can do. Made when somebody first asks, since all tools are looked at; what was found of a tool is
 * kept as long as the tool, so that a change of some is cheap.
 */
export class CapabilityIndex {
  readonly #options: CapabilityOptions;
  readonly #declarations: readonly Declaration[];
  readonly #derived = new WeakMap<object, readonly string[]>();
  #byCapability: ReadonlyMap<string, readonly Registration[]> | undefined;

  constructor(options: CapabilityOptions) {
    this.#options = options;
    this.#declarations = Object.entries(options.declared).map(([key, capabilities]) => ({
      matches: matcherOf(key),
      capabilities: capabilities.map(capabilityName),
    }));
  }

  /** The tools changed. */
  forget(): void {
    this.#byCapability = undefined;
  }

  /** Every capability that some tool has, in order. */
  names(): readonly string[] {
    return [...this.#all().keys()].toSorted();
  }

  /** The tools that have a capability, best first. */
  find(capability: string): readonly Registration[] {
    return this.#all().get(this.#options.canonical(capabilityName(capability))) ?? [];
  }

  /**
   * What a tool can do: what it or the workspace declares, else what its name and description tell. Of a tool of an MCP
   * server, a chain or another composite only what is declared: nobody is routed to it by its own words.
   */
  of(registration: Registration): readonly string[] {
    const { tool, source } = registration;
    const declared = [...tool.capabilities.map(capabilityName), ...this.#declaredFor(registration)];
    if (declared.length > 0) return [...new Set(declared.map(this.#options.canonical))];
    if (source === "mcps" || source === "chains" || tool.composite) return [];
    const known = this.#derived.get(tool) ?? this.#options.derive(tool);
    this.#derived.set(tool, known);
    return [...new Set(known.map(this.#options.canonical))];
  }

  /** A tool that cannot be made has no capabilities; whoever calls it by its name hears why. */
  #known(registration: Registration): readonly string[] {
    try {
      return this.of(registration);
    } catch {
      return [];
    }
  }

  #declaredFor(registration: Registration): readonly string[] {
    const { name } = registration.tool;
    return this.#declarations.flatMap(({ matches, capabilities }) => (matches(registration, name) ? capabilities : []));
  }

  #all(): ReadonlyMap<string, readonly Registration[]> {
    this.#byCapability ??= this.#build();
    return this.#byCapability;
  }

  #build(): ReadonlyMap<string, readonly Registration[]> {
    const found = new Map<string, Registration[]>();
    const { registry } = this.#options;
    // Whatever comes later is there now.
    void registry.size;
    for (const [, candidates] of registry.present.entries()) {
      for (const registration of onePerSource(candidates)) {
        for (const capability of this.#known(registration)) {
          const others = found.get(capability);
          if (others === undefined) found.set(capability, [registration]);
          else others.push(registration);
        }
      }
    }
    for (const tools of found.values()) tools.sort((a, b) => a.priority - b.priority);
    return found;
  }
}

/** The candidates of one name: within a source the first hides the others, and a chain is hidden by any tool. */
export function onePerSource(registrations: readonly Registration[]): readonly Registration[] {
  if (registrations.length < 2) return registrations;
  const sources = new Map<string, Registration>();
  for (const registration of registrations)
    if (!sources.has(registration.source)) sources.set(registration.source, registration);
  if (sources.size > 1) sources.delete("chains");
  return [...sources.values()];
}

function matcherOf(key: string): Declaration["matches"] {
  if (!key.startsWith("mcp:")) {
    const fits = nameGlob(key);
    // Servers are declared as such: a glob that is meant for tools of one's own must not take them in.
    return ({ source }, name) => source !== "mcps" && fits(name);
  }
  const target = key.slice("mcp:".length);
  if (!target.includes("/")) return ({ source, owner }) => source === "mcps" && owner === target;
  const fits = nameGlob(target);
  return ({ source }, name) => source === "mcps" && fits(name);
}
