import { type Reference, anyItem } from "../../expr/index.ts";
import type { Plan, PlanStep } from "../plan/plan.ts";

/** Unknown part of a map: all of it, or these keys. */
type Unknown = "all" | ReadonlySet<string>;

/** Parameters of a call that are unknown, as written in the file. */
type UnknownArguments = Readonly<Record<string, unknown>>;

/** Unknown and untrusted parts of the arguments of a call. */
interface CallNote {
  readonly unknown?: UnknownArguments;
  /**
   * The untrusted parts, and the steps that they come from. These values are known, but not to be relied on.
   */
  readonly untrusted?: Readonly<Record<string, string>>;
}

function noteKey(path: string, args: unknown): string {
  return `${path} ${JSON.stringify(args)}`;
}

/** Reason why it is unknown whether, or how often, a step is called: as the file writes it. */
export interface Uncertainty {
  readonly onlyIf?: string;
  readonly forEach?: unknown;
}

/** A step, or an expression of a chain, and the prefix of that chain: `research/`, empty at the root. */
export interface UnknownSite {
  readonly plan: Plan;
  readonly prefix: string;
  readonly step?: PlanStep;
}

/**
 * Values that a dry run cannot know because they depend on withheld calls, and its notes about them. Steps are named by
 * their paths without items: what is unknown for one item counts as unknown for all.
 */
export class Unknowns {
  readonly #outputs = new Map<string, Unknown>();
  readonly #inputs = new Map<string, ReadonlySet<string>>();
  readonly #uncertain = new Map<string, Uncertainty>();
  /** By the path of the step and the arguments. */
  readonly #notes = new Map<string, CallNote>();

  /** Notes what is unknown or untrusted about a call with these arguments. */
  addNote(path: string, args: unknown, note: CallNote): void {
    this.#notes.set(noteKey(path, args), { ...this.noteOf(path, args), ...note });
  }

  noteOf(path: string, args: unknown): CallNote {
    return this.#notes.get(noteKey(path, args)) ?? {};
  }

  /** Marks the output of a step, or these keys of it, as unknown. */
  addOutput(path: string, unknown: Unknown): void {
    if (this.#outputs.get(path) !== "all") this.#outputs.set(path, unknown);
  }

  /** Unknown part of an output: keys of it, or all. */
  unknownOf(path: string): "all" | readonly string[] {
    const unknown = this.#outputs.get(path) ?? [];
    return unknown === "all" ? unknown : [...unknown];
  }

  /** Marks these inputs of the chain that is called at this prefix as unknown. */
  addInputs(prefix: string, names: readonly string[]): void {
    this.#inputs.set(prefix, new Set([...(this.#inputs.get(prefix) ?? []), ...names]));
  }

  hasInputs(prefix: string): boolean {
    return this.#inputs.has(prefix);
  }

  addUncertainty(path: string, why: Uncertainty): void {
    this.#uncertain.set(path, { ...this.#uncertain.get(path), ...why });
  }

  /** Reason why it is unknown whether a step is called: its own, or that of a step that calls its chain. */
  uncertainty(path: string): Uncertainty | undefined {
    const parts = path.split("/");
    const above = parts.map((_part, index) => this.#uncertain.get(parts.slice(0, index + 1).join("/")));
    return above.every((why) => why === undefined) ? undefined : Object.assign({}, ...above);
  }

  /** True if an expression needs an unknown value. */
  covers(references: readonly Reference[], site: UnknownSite): boolean {
    return references.some((reference) => this.#covers(reference, site));
  }

  #covers({ root, path }: Reference, { plan, prefix, step }: UnknownSite): boolean {
    const [first, ...rest] = path;
    switch (root) {
      case "steps":
        // A call that is withheld ends with success.
        if (rest[0] === "status" || rest[0] === "error") return false;
        return matching(plan.steps, (each) => first === anyItem || each.id === first).some((each) =>
          this.#hasOutput(prefix + each.id, each, rest.slice(1)),
        );
      case "context":
        return matching(plan.steps, ({ as }) => as !== undefined && (first === anyItem || as === first)).some((each) =>
          this.#hasOutput(prefix + each.id, each, rest),
        );
      case "input":
        return reaches(this.#inputs.get(prefix), first);
      case "item":
      case "index":
        return step?.forEach !== undefined && this.covers(step.forEach.items.references, { plan, prefix });
      default:
        return false;
    }
  }

  #hasOutput(path: string, { select, forEach, target }: PlanStep, keys: Reference["path"]): boolean {
    const unknown = this.#outputs.get(path);
    const isWhole = select !== undefined || forEach !== undefined;
    if (unknown !== undefined) return unknown === "all" || isWhole || reaches(unknown, keys[0]);
    // A chain without `output:` returns the outputs of its steps.
    const inner = target.chain?.();
    if (inner === undefined || inner.output !== undefined) return false;
    return matching(inner.steps, ({ id }) => isWhole || typeof keys[0] !== "string" || id === keys[0]).some((each) =>
      this.#hasOutput(`${path}/${each.id}`, each, keys.slice(1)),
    );
  }
}

function matching(steps: readonly PlanStep[], test: (step: PlanStep) => boolean): readonly PlanStep[] {
  return steps.filter(test);
}

/** True if a key leads to one of these. Without a key, the whole map counts. */
function reaches(unknown: ReadonlySet<string> | undefined, key: Reference["path"][number] | undefined): boolean {
  if (unknown === undefined || unknown.size === 0) return false;
  return typeof key === "string" ? unknown.has(key) : true;
}
