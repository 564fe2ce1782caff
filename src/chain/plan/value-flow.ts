import { type CompiledValue, type Reference, type ValueReference, anyItem } from "../../expr/index.ts";
import type { Plan, PlanStep } from "./plan.ts";

/** Where a value comes from: a step, by its place; an input, by its name; {@link anyItem} stands for all inputs. */
export type Source = number | string | typeof anyItem;

/** A part of a value that hangs on a source. */
export interface MarkedPart {
  readonly reference: ValueReference;
  /** The source that was asked about, however many steps lie between. */
  readonly origin: Source;
}

/**
 * How values get from step to step of one chain: what a step gives hangs on what it, or what stands in for it, is
 * called with. What only decides whether a step runs is not counted.
 */
export class ValueFlow {
  readonly #plan: Plan;
  readonly #byAs: ReadonlyMap<string, PlanStep>;
  /** Steps whose outputs hang on a source. */
  readonly #readers = new Map<Source, number[]>();
  /** Steps that use a source only for undoing. */
  readonly #undoers = new Map<Source, number[]>();

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#byAs = new Map(plan.steps.flatMap((step) => (step.as === undefined ? [] : [[step.as, step] as const])));
    for (const step of plan.steps) {
      this.#note(this.#readers, step.params, step);
      for (const { params } of step.onFailure.fallback) this.#note(this.#readers, params, step);
      if (step.compensate !== undefined) this.#note(this.#undoers, step.compensate.params, step);
    }
  }

  /** What hangs on these, also through other steps; references make no order in fallbacks, so none is relied on. */
  from(origins: Iterable<Source>): MarkedValues {
    const marks = new Map<Source, Source>();
    const open: Source[] = [];
    const mark = (source: Source, origin: Source): void => {
      if (marks.has(source)) return;
      marks.set(source, origin);
      open.push(source);
    };
    for (const origin of origins) {
      mark(origin, origin);
      if (typeof origin === "string") mark(anyItem, origin);
    }
    for (const source of open) {
      for (const reader of this.#readers.get(source) ?? []) mark(reader, marks.get(source) ?? source);
    }
    return new MarkedValues(this, marks);
  }

  /** The steps of whose results something is made in others. */
  usedSteps(): readonly PlanStep[] {
    return this.#plan.steps.filter(({ index }) => this.#readers.has(index) || this.#undoers.has(index));
  }

  /** All that something is made of and that the chain is given. */
  usedInputs(): readonly Source[] {
    return [...this.#readers.keys(), ...this.#undoers.keys()].filter((source) => typeof source !== "number");
  }

  /** The steps that are called, or undone, with something of these sources. */
  usersOf(sources: Iterable<Source>): readonly PlanStep[] {
    const places = new Set<number>();
    for (const source of sources) {
      for (const uses of [this.#readers, this.#undoers]) for (const place of uses.get(source) ?? []) places.add(place);
    }
    return [...places].flatMap((place) => this.#plan.steps[place] ?? []);
  }

  /** What a reference of a step takes its value from. */
  sourcesOf({ root, path: [name, field] }: Reference, step: PlanStep): readonly Source[] {
    switch (root) {
      case "steps":
        return field === "status" ? [] : placeOf(typeof name === "string" ? this.#plan.byId.get(name) : undefined);
      case "context":
        return placeOf(typeof name === "string" ? this.#byAs.get(name) : undefined);
      case "item":
        return this.#itemSources(step);
      case "error":
        // Of the step that is failing: its message is its tool's.
        return [step.index];
      case "input":
        return [typeof name === "string" ? name : anyItem];
      default:
        return [];
    }
  }

  #itemSources(step: PlanStep): readonly Source[] {
    const references = step.forEach?.items.references ?? [];
    return references.flatMap((reference) => (reference.root === "item" ? [] : this.sourcesOf(reference, step)));
  }

  #note(uses: Map<Source, number[]>, { references }: CompiledValue, step: PlanStep): void {
    for (const source of new Set(references.flatMap((reference) => this.sourcesOf(reference, step)))) {
      const places = uses.get(source);
      if (places === undefined) uses.set(source, [step.index]);
      else if (places.at(-1) !== step.index) places.push(step.index);
    }
  }
}

/** The values of a chain that hang on some sources. */
export class MarkedValues {
  readonly #flow: ValueFlow;
  readonly #marks: ReadonlyMap<Source, Source>;

  constructor(flow: ValueFlow, marks: ReadonlyMap<Source, Source>) {
    this.#flow = flow;
    this.#marks = marks;
  }

  /** Which parts of a value of a step hang on them; each text of the value is told once. */
  partsOf({ references }: CompiledValue, step: PlanStep): readonly MarkedPart[] {
    const seen = new Set<unknown>();
    return references.flatMap((reference) => {
      const source = this.#flow.sourcesOf(reference, step).find((candidate) => this.#marks.has(candidate));
      // References of one text share its path.
      if (source === undefined || seen.has(reference.valuePath)) return [];
      seen.add(reference.valuePath);
      return [{ reference, origin: this.#marks.get(source) ?? source }];
    });
  }

  /** The steps that are called, or undone, with one of them. */
  users(): readonly PlanStep[] {
    return this.#flow.usersOf(this.#marks.keys());
  }
}

function placeOf(step: PlanStep | undefined): readonly Source[] {
  return step === undefined ? [] : [step.index];
}
