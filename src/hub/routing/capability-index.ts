import { nameGlob, orElse } from "../../base/index.ts";
import { type Registration, type ToolRegistry, builtinOwner } from "../../tool/index.ts";
import { type DeriveCapabilities, capabilityName } from "./derive-capabilities.ts";

/** Options of {@link CapabilityIndex}. */
export interface CapabilityOptions {
  readonly registry: ToolRegistry;
  readonly derive: DeriveCapabilities;
  /** Declarations of the workspace: `mcp:brave`, `mcp:brave/search` or the name of a tool, to capabilities. */
  readonly declared: Readonly<Record<string, readonly string[]>>;
  /** The one name of a capability that has several. */
  readonly canonical: (capability: string) => string;
}

interface Declaration {
  readonly matches: (registration: Registration, name: string) => boolean;
  readonly capabilities: readonly string[];
}

/**
 * Index of tools by capability. Built on first use, since it visits all tools; the capabilities of a tool are cached as
 * long as the tool exists, so that a change of a few is cheap.
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
   * The capabilities of a tool: those that it or the workspace declares, else those derived from its name and
   * description. For a tool of an MCP server, a chain or another composite only declared ones count: its own
   * description must not route calls to it.
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

  #declaredFor(registration: Registration): readonly string[] {
    const { name, aliases } = registration.tool;
    const names = registration.source === "mcps" ? [name] : [name, ...aliases];
    return this.#declarations.flatMap(({ matches, capabilities }) =>
      names.some((each) => matches(registration, each)) ? capabilities : [],
    );
  }

  #all(): ReadonlyMap<string, readonly Registration[]> {
    this.#byCapability ??= this.#build();
    return this.#byCapability;
  }

  #build(): ReadonlyMap<string, readonly Registration[]> {
    const found = new Map<string, Registration[]>();
    const { registry } = this.#options;
    // Registers the lazily registered tools now.
    void registry.size;
    for (const [, candidates] of registry.present.entries()) {
      for (const registration of onePerSource(candidates)) {
        // A tool that cannot be created has no capabilities; a call by its name returns the reason.
        for (const capability of orElse(() => this.of(registration), [])) {
          const others = found.get(capability);
          if (others === undefined) found.set(capability, [registration]);
          else others.push(registration);
        }
      }
    }
    for (const tools of found.values()) tools.sort((a, b) => capabilityPriority(a) - capabilityPriority(b));
    return found;
  }
}

/** After all sources of tools: the built-in tools that search notes and memories, which the user did not declare. */
const personalPriority = 3;

/**
 * The priority of a tool among those of a capability. Notes and memories do not replace a search that the
 * workspace declares, so they come last.
 */
export function capabilityPriority({ tool, owner, priority }: Registration): number {
  const isPersonal = owner === builtinOwner && tool.tags.some((tag) => tag === "notes" || tag === "memory");
  return isPersonal ? Math.max(priority, personalPriority) : priority;
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
    // Servers are declared explicitly: a glob for the workspace's own tools must not match theirs.
    return ({ source }, name) => source !== "mcps" && fits(name);
  }
  const target = key.slice("mcp:".length);
  if (!target.includes("/")) return ({ source, owner }) => source === "mcps" && owner === target;
  const fits = nameGlob(target);
  return ({ source }, name) => source === "mcps" && fits(name);
}
