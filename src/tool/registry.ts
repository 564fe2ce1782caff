import { type Failure, FailureError, failure } from "../base/index.ts";
import { type AnyTool, isTool } from "./tool.ts";

/** A tool and where it came from. */
export interface Registration {
  readonly tool: AnyTool;
  /** `tools`, `skills`, `mcps` or any other word. */
  readonly source: string;
  /** Who registered it: a file, a server; registering the same name again replaces it within its owner. */
  readonly owner: string;
  /** Lower comes first when several sources offer one name. */
  readonly priority: number;
  /** It only chooses which of several tools runs: rules are asked about that one, and it says where that came from. */
  readonly chooses?: boolean;
  /** Those that it chooses from. */
  readonly among?: readonly Registration[];
}

/** A tool that is made when somebody wants it: dozens that nobody calls would be made for nothing. */
export interface ToolOffer {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Makes the tool of this name, with these aliases. */
  readonly make: () => AnyTool;
}

/** A registration whose tool need not be there yet. */
interface Entry extends Registration {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The tool, where somebody wanted it by now. */
  readonly made: AnyTool | undefined;
}

/** Where a registration comes from; a name alone means the `tools` source at priority 0. */
export interface Origin {
  readonly source?: string;
  readonly owner?: string;
  readonly priority?: number;
}

/** What a replacement changed, by tool name. */
export interface RegistryChange {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
}

/** What is registered by now; looking at it makes no tool. */
export interface PresentTools {
  resolve(name: string): Registration | undefined;
  names(): string[];
  candidates(name: string): readonly Registration[];
  /** Every name with its candidates, best first. */
  entries(): Iterable<readonly [name: string, candidates: readonly Registration[]]>;
  readonly version: number;
}

/**
 * All tools by name. Within one source the owner that came last wins and the one beneath returns when it leaves;
 * across sources the lower priority number wins. Aliases are found when no tool has the name itself, and nobody keeps it.
 */
export class ToolRegistry {
  /** Best first. */
  readonly #byName = new Map<string, Entry[]>();
  readonly #byAlias = new Map<string, string>();
  /** Names that no alias leads to, by who keeps them. */
  readonly #kept = new Map<string, ReadonlySet<string>>();
  /** Where tools come from that are called by reference and never listed. */
  readonly #adopted = new WeakMap<AnyTool, Registration>();
  /** The same of tools that left, or were replaced, while somebody may still hold them. */
  readonly #former = new WeakMap<AnyTool, Registration>();
  #version = 0;
  #late: (() => void) | undefined;

  /** Changes whenever the registry does. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    this.#settle();
    return this.#byName.size;
  }

  /** Adds a tool, or replaces the one of the same name and owner. */
  register(tool: AnyTool, origin: Origin = {}): void {
    if (!isTool(tool)) throw new FailureError("register() takes a tool made by defineTool()", { code: "tool_invalid" });
    this.#put(entryOf(tool, complete(origin)));
    this.#changed();
  }

  /** The same for tools that are made when they are first looked at. */
  offer(offers: readonly ToolOffer[], origin: Origin = {}): void {
    for (const offer of offers) this.#put(new OfferedTool(offer, complete(origin)));
    this.#changed();
  }

  /** Removes the tool of this name and owner. */
  remove(name: string, origin: Origin = {}): boolean {
    const removed = this.#drop(name, complete(origin));
    if (removed) this.#changed();
    return removed;
  }

  /**
   * Makes an owner's tools exactly these, in one step: no caller ever sees half of it. The names in `kept` are no aliases
   * of others: a tool that could not be loaded leaves its name to nobody else.
   */
  replace(tools: readonly AnyTool[], origin: Origin, kept: Iterable<string> = []): RegistryChange {
    const from = complete(origin);
    this.#kept.set(JSON.stringify([from.source, from.owner]), new Set(kept));
    const before = new Map(this.#ownedBy(from).map((entry) => [entry.name, entry.tool]));
    const after = new Map(tools.map((tool) => [tool.name, tool]));
    for (const name of before.keys()) if (!after.has(name)) this.#drop(name, from);
    for (const tool of after.values()) if (before.get(tool.name) !== tool) this.#put(entryOf(tool, from));
    this.#changed();
    return {
      added: [...after.keys()].filter((name) => !before.has(name)),
      updated: [...after.keys()].filter((name) => before.has(name) && before.get(name) !== after.get(name)),
      removed: [...before.keys()].filter((name) => !after.has(name)),
    };
  }

  /** Is the name kept for a tool that is not there? */
  isKept(name: string): boolean {
    for (const names of this.#kept.values()) if (names.has(name)) return true;
    return false;
  }

  /** Says where a tool comes from that is called by reference and stands in no list: rules and records go by it. */
  adopt(tool: AnyTool, origin: Origin): AnyTool {
    this.#adopted.set(tool, { tool, ...complete(origin) });
    return tool;
  }

  /**
   * Has more tools registered when somebody asks for what may be among them, so that nobody else waits for it. They
   * must not have the priority 0: a tool that has it is found without them.
   */
  later(register: () => void): void {
    this.#late = register;
  }

  /** What is registered by now, for those whose work {@link later} waits for. */
  get present(): PresentTools {
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
    // A name goes before an alias, and what comes later may have it.
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
   * Where a tool came from, whichever candidate of its name it is. One that was replaced meanwhile can still be called
   * by whoever holds it, under the rules for its source; one that was removed, or refused by now, cannot.
   */
  registrationOf(tool: AnyTool): Registration | undefined {
    const present = this.#byName.get(tool.name)?.find((entry) => entry.made === tool);
    return present ?? this.#adopted.get(tool) ?? this.#formerly(tool);
  }

  #formerly(tool: AnyTool): Registration | undefined {
    const before = this.#former.get(tool);
    if (before === undefined) return undefined;
    const after = this.#byName
      .get(tool.name)
      ?.find(({ source, owner }) => source === before.source && owner === before.owner);
    const broken = after === undefined ? removed(tool.name) : after.tool.broken;
    return broken === undefined ? before : { ...before, tool: Object.freeze({ ...tool, broken }) };
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
    return this.#byName.get(name) ?? this.#byName.get(this.#byAlias.get(name) ?? "") ?? [];
  }

  #settle(): void {
    const register = this.#late;
    // Forgotten first: whatever is asked meanwhile is answered from what is there.
    this.#late = undefined;
    register?.();
  }

  #ownedBy(from: Required<Origin>): Entry[] {
    return [...this.#byName.values()]
      .flat()
      .filter((entry) => entry.source === from.source && entry.owner === from.owner);
  }

  #put(entry: Entry): void {
    const others = this.#without(entry.name, entry);
    // Put before its equals: the last owner of a source wins.
    const at = others.findIndex(
      (other) =>
        other.priority > entry.priority || (other.priority === entry.priority && other.source === entry.source),
    );
    others.splice(at === -1 ? others.length : at, 0, entry);
    this.#byName.set(entry.name, others);
  }

  #drop(name: string, from: Required<Origin>): boolean {
    const before = this.#byName.get(name)?.length ?? 0;
    const kept = this.#without(name, from);
    if (kept.length === 0) this.#byName.delete(name);
    else this.#byName.set(name, kept);
    return kept.length < before;
  }

  /** The candidates of a name but for an owner's, which is remembered as long as somebody holds it. */
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
    for (const [name, entries] of this.#byName) {
      for (const alias of entries[0]?.aliases ?? []) {
        if (!this.#byAlias.has(alias) && !this.isKept(alias)) this.#byAlias.set(alias, name);
      }
    }
  }
}

class OfferedTool implements Entry {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly source: string;
  readonly owner: string;
  readonly priority: number;
  readonly #make: () => AnyTool;
  #tool: AnyTool | undefined;

  constructor({ name, aliases, make }: ToolOffer, { source, owner, priority }: Required<Origin>) {
    this.name = name;
    this.aliases = aliases;
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
  return { tool, name: tool.name, aliases: tool.aliases, made: tool, ...from };
}

function removed(name: string): Failure {
  return failure("not_available", `${name} was removed while something still meant to call it`, {
    reason: "tool_gone",
    retry: "never",
  });
}

function complete(origin: Origin): Required<Origin> {
  const source = origin.source ?? "tools";
  return { source, owner: origin.owner ?? source, priority: origin.priority ?? 0 };
}
