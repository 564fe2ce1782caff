import { type Failure, FailureError, failure } from "../base/index.ts";
import type { Registration, ToolOffer } from "./registration.ts";
import { type AnyTool, isTool } from "./tool.ts";

/** A registration whose tool may not have been created yet. */
interface Entry extends Registration {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly forms: readonly string[];
  /** The tool, if it has already been created. */
  readonly made: AnyTool | undefined;
}

/** Origin of a registration; a name alone means the `tools` source at priority 0. */
export interface Origin {
  readonly source?: string;
  readonly owner?: string;
  readonly priority?: number;
}

/** Changes of a replacement, by tool name. */
export interface RegistryChange {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
}

/** Receives changes of a registry, with the source of the tools. Must not throw. */
export type RegistryListener = (change: RegistryChange, source: string) => void;

/** The tools registered so far; reading it creates no tool. */
export interface RegisteredTools {
  resolve(name: string): Registration | undefined;
  names(): string[];
  candidates(name: string): readonly Registration[];
  /** Every name with its candidates, best first. */
  entries(): Iterable<readonly [name: string, candidates: readonly Registration[]]>;
  readonly version: number;
}

/**
 * All tools by name. Within one source the last owner wins, and the previous one becomes visible again when it is
 * removed; across sources the lower priority number wins. An alias resolves if no tool has that name and the name is
 * not reserved.
 *
 * @see docs/guide/hub.md
 */
export class ToolRegistry {
  /** Best first. */
  readonly #byName = new Map<string, Entry[]>();
  readonly #byAlias = new Map<string, string>();
  /** Candidates of aliases that are forms. */
  readonly #byForm = new Map<string, readonly Registration[]>();
  /** Names that no alias may use, by the owner that reserves them. */
  readonly #reserved = new Map<string, ReadonlySet<string>>();
  /** Origins of tools that are called by reference and never listed. */
  readonly #adopted = new WeakMap<AnyTool, Registration>();
  /** Origins of tools that were removed or replaced while callers may still hold them. */
  readonly #former = new WeakMap<AnyTool, Registration>();
  #version = 0;
  #late: (() => void) | undefined;
  #listeners: readonly WeakRef<RegistryListener>[] = [];
  /** Greater than 0 while changes are not reported. */
  #unreported = 0;

  /** Changes with every change of the registry. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    this.#settle();
    return this.#byName.size;
  }

  /** Adds a tool, or replaces the one of the same name and owner. */
  register(tool: AnyTool, origin: Origin = {}): void {
    if (!isTool(tool))
      throw new FailureError("register() accepts only a tool made by defineTool()", { code: "tool_invalid" });
    const from = complete(origin);
    const before = this.#ownOf(tool.name, from);
    this.#put(entryOf(tool, from));
    this.#changed();
    if (before?.made === tool) return;
    this.report(before === undefined ? { added: [tool.name] } : { updated: [tool.name] }, from);
  }

  /** Like `register`, for tools that are created on first use. */
  offer(offers: readonly ToolOffer[], origin: Origin = {}): void {
    const from = complete(origin);
    const [updated, added] = [[], []] as [string[], string[]];
    for (const { name } of offers) (this.#ownOf(name, from) === undefined ? added : updated).push(name);
    for (const offer of offers) this.#put(new LazyRegistration(offer, from));
    this.#changed();
    this.report({ added, updated }, from);
  }

  /** Removes the tool of this name and owner. */
  remove(name: string, origin: Origin = {}): boolean {
    const from = complete(origin);
    const removed = this.#drop(name, from);
    if (removed) {
      this.#changed();
      this.report({ removed: [name] }, from);
    }
    return removed;
  }

  /**
   * Replaces all tools of an owner atomically: no caller ever sees a partial state. No alias resolves to the names in
   * `reserved`: a tool that failed to load keeps its name.
   */
  replace(tools: readonly AnyTool[], origin: Origin, reserved: Iterable<string> = []): RegistryChange {
    const from = complete(origin);
    this.#reserved.set(JSON.stringify([from.source, from.owner]), new Set(reserved));
    const before = new Map(this.#ownedBy(from).map((entry) => [entry.name, entry.tool]));
    const after = new Map(tools.map((tool) => [tool.name, tool]));
    for (const name of before.keys()) if (!after.has(name)) this.#drop(name, from);
    for (const tool of after.values()) if (before.get(tool.name) !== tool) this.#put(entryOf(tool, from));
    this.#changed();
    const change = {
      added: [...after.keys()].filter((name) => !before.has(name)),
      updated: [...after.keys()].filter((name) => before.has(name) && before.get(name) !== after.get(name)),
      removed: [...before.keys()].filter((name) => !after.has(name)),
    };
    this.report(change, from);
    return change;
  }

  /** Reports later changes to a listener. The registry may outlive the listener, and does not keep it alive. */
  listen(listener: RegistryListener): () => void {
    const reference = new WeakRef(listener);
    this.#listeners = [...this.#listeners.filter((other) => other.deref() !== undefined), reference];
    return () => void (this.#listeners = this.#listeners.filter((other) => other !== reference));
  }

  /** Makes changes without reporting them, for sources that report their changes themselves. */
  unreported<T>(change: () => T): T {
    this.#unreported++;
    try {
      return change();
    } finally {
      this.#unreported--;
    }
  }

  /** Reports changes that were made with {@link unreported}. */
  report({ added = [], updated = [], removed = [] }: Partial<RegistryChange>, { source = "tools" }: Origin): void {
    if (this.#unreported > 0 || added.length + updated.length + removed.length === 0) return;
    for (const listener of this.#listeners) listener.deref()?.({ added, updated, removed }, source);
  }

  /** True if the name is reserved for a tool that could not be loaded. */
  isReserved(name: string): boolean {
    for (const names of this.#reserved.values()) if (names.has(name)) return true;
    return false;
  }

  /** Sets the origin of a tool that is called by reference and never listed: rules and records use it. */
  setOrigin(tool: AnyTool, origin: Origin): AnyTool {
    this.#adopted.set(tool, { tool, ...complete(origin) });
    return tool;
  }

  /**
   * Registers more tools on demand, when a requested tool may be among them, so that other requests do not wait for it.
   * They must not have priority 0: a tool with that priority is found without them.
   */
  registerLazily(register: () => void): void {
    this.#late = register;
  }

  /** The tools registered so far, for callers that run during {@link registerLazily}. */
  get present(): RegisteredTools {
    const version = (): number => this.#version;
    return {
      resolve: (name) => this.#find(name)[0],
      names: () => this.#names(),
      candidates: (name) => this.#find(name),
      entries: () => this.#byName.entries(),
      get version() {
        return version();
      },
    };
  }

  /** The tool that a call of this name or alias gets. */
  resolve(name: string): Registration | undefined {
    // A name precedes an alias, and a lazily registered tool may have the name.
    if (this.#late !== undefined && this.#byName.get(name)?.[0]?.priority !== 0) this.#settle();
    return this.#find(name)[0];
  }

  get(name: string): AnyTool | undefined {
    return this.resolve(name)?.tool;
  }

  has(name: string): boolean {
    return this.resolve(name) !== undefined;
  }

  /**
   * The origin of a tool, for any candidate of its name. A replaced tool can still be called by callers that hold it,
   * under the rules for its source; a removed or broken one cannot.
   */
  registrationOf(tool: AnyTool): Registration | undefined {
    const present = this.#byName.get(tool.name)?.find((entry) => entry.made === (tool.formOf ?? tool));
    if (present !== undefined) return tool.formOf === undefined ? present : originOf(present, tool);
    return this.#adopted.get(tool) ?? this.#formerly(tool);
  }

  #formerly(tool: AnyTool): Registration | undefined {
    const before = this.#former.get(tool.formOf ?? tool);
    if (before === undefined) return undefined;
    const after = this.#byName
      .get(tool.name)
      ?.find(({ source, owner }) => source === before.source && owner === before.owner);
    const broken = after === undefined ? removed(tool.name) : after.tool.broken;
    return originOf(before, broken === undefined ? tool : Object.freeze({ ...tool, broken }));
  }

  /** Every candidate of a name, best first. */
  candidates(name: string): readonly Registration[] {
    this.#settle();
    return this.#find(name);
  }

  /** One registration per name, sorted by name, so that prompts made from it stay cacheable. */
  list(filter: { category?: string; tag?: string } = {}): readonly Registration[] {
    this.#settle();
    const best = [...this.#byName.values()].flatMap((entries) => entries[0] ?? []);
    return best
      .filter(({ tool }) => filter.category === undefined || tool.category === filter.category)
      .filter(({ tool }) => filter.tag === undefined || tool.tags.includes(filter.tag))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Every name and alias, for suggestions. */
  names(): string[] {
    this.#settle();
    return this.#names();
  }

  #names(): string[] {
    return [...this.#byName.keys(), ...this.#byAlias.keys()];
  }

  #find(name: string): readonly Registration[] {
    return this.#byName.get(name) ?? this.#byForm.get(name) ?? this.#byName.get(this.#byAlias.get(name) ?? "") ?? [];
  }

  #settle(): void {
    const register = this.#late;
    // Cleared first: requests during registration are answered from the tools already present.
    this.#late = undefined;
    register?.();
  }

  #ownedBy(from: Required<Origin>): Entry[] {
    return [...this.#byName.values()]
      .flat()
      .filter((entry) => entry.source === from.source && entry.owner === from.owner);
  }

  #ownOf(name: string, { source, owner }: Required<Origin>): Entry | undefined {
    return this.#byName.get(name)?.find((entry) => entry.source === source && entry.owner === owner);
  }

  #put(entry: Entry): void {
    const others = this.#without(entry.name, entry);
    // Inserted before its equals: the last owner of a source wins.
    const at = others.findIndex(
      (other) =>
        other.priority > entry.priority || (other.priority === entry.priority && other.source === entry.source),
    );
    others.splice(at === -1 ? others.length : at, 0, entry);
    this.#byName.set(entry.name, others);
  }

  #drop(name: string, from: Required<Origin>): boolean {
    const before = this.#byName.get(name)?.length ?? 0;
    const reserved = this.#without(name, from);
    if (reserved.length === 0) this.#byName.delete(name);
    else this.#byName.set(name, reserved);
    return reserved.length < before;
  }

  /** The candidates of a name without those of an owner, whose origin stays known while callers hold the tool. */
  #without(name: string, from: Required<Origin>): Entry[] {
    const entries = this.#byName.get(name) ?? [];
    const leaves = ({ source, owner }: Entry): boolean => source === from.source && owner === from.owner;
    for (const { made, source, owner, priority } of entries.filter(leaves))
      if (made !== undefined) this.#former.set(made, { tool: made, source, owner, priority });
    return entries.filter((entry) => !leaves(entry));
  }

  #changed(): void {
    this.#version++;
    this.#byAlias.clear();
    this.#byForm.clear();
    for (const [name, entries] of this.#byName) {
      for (const alias of entries[0]?.aliases ?? []) {
        if (this.#byAlias.has(alias) || this.isReserved(alias)) continue;
        this.#byAlias.set(alias, name);
        const formed = entries.filter(({ forms }) => forms.includes(alias));
        if (formed.length > 0)
          this.#byForm.set(
            alias,
            formed.map((entry) => formOf(entry, alias)),
          );
      }
    }
  }
}

/** The registration of a form. Its tool is created with the tool that it belongs to. */
function formOf(entry: Entry, alias: string): Registration {
  const { source, owner, priority } = entry;
  return {
    source,
    owner,
    priority,
    get tool() {
      return entry.tool.forms?.[alias] ?? entry.tool;
    },
  };
}

class LazyRegistration implements Entry {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly forms: readonly string[];
  readonly source: string;
  readonly owner: string;
  readonly priority: number;
  readonly #make: () => AnyTool;
  #tool: AnyTool | undefined;

  constructor({ name, aliases, forms = [], make }: ToolOffer, { source, owner, priority }: Required<Origin>) {
    this.name = name;
    this.aliases = aliases;
    this.forms = forms;
    this.source = source;
    this.owner = owner;
    this.priority = priority;
    this.#make = make;
  }

  get tool(): AnyTool {
    this.#tool ??= this.#make();
    return this.#tool;
  }

  get made(): AnyTool | undefined {
    return this.#tool;
  }
}

function entryOf(tool: AnyTool, from: Required<Origin>): Entry {
  return { tool, name: tool.name, aliases: tool.aliases, forms: Object.keys(tool.forms ?? {}), made: tool, ...from };
}

function originOf({ source, owner, priority }: Registration, tool: AnyTool): Registration {
  return { tool, source, owner, priority };
}

function removed(name: string): Failure {
  return failure("not_available", `${name} was removed before it could be called`, {
    reason: "tool_gone",
    retry: "never",
  });
}

function complete(origin: Origin): Required<Origin> {
  const source = origin.source ?? "tools";
  return { source, owner: origin.owner ?? source, priority: origin.priority ?? 0 };
}
