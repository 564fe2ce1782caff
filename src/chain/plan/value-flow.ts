import { type CompiledValue, type Reference, type ValueReference, anyItem } from "../../expr/index.ts";
import type { Plan, PlanStep } from "./plan.ts";

/** Source of a value: a step, by its index; an input, by its name; {@link anyItem} stands for all inputs. */
export type ValueSource = number | string | typeof anyItem;

/** A part of a value that depends on a source. */
export interface MarkedPart {
  readonly reference: ValueReference;
  /** The source that was searched for, through any number of steps. */
  readonly origin: ValueSource;
}

/**
 * Data flow between the steps of one chain: the output of a step depends on the arguments of its tool and of its
 * fallbacks. References that only decide whether a step runs do not count.
 */
export class ValueFlow {
  readonly #plan: Plan;
  readonly #byAs: ReadonlyMap<string, PlanStep>;
  /** Steps whose outputs depend on a source. */
  readonly #readers = new Map<ValueSource, number[]>();
  /** Steps that use a source only for compensation. */
  readonly #undoers = new Map<ValueSource, number[]>();

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#byAs = new Map(plan.steps.flatMap((step) => (step.as === undefined ? [] : [[step.as, step] as const])));
    for (const step of plan.steps) {
      this.#note(this.#readers, step.params, step);
      for (const { params } of step.onFailure.fallback) this.#note(this.#readers, params, step);
      if (step.compensate !== undefined) this.#note(this.#undoers, step.compensate.params, step);
    }
  }

  /**
   * Values that depend on these, also through other steps; references in fallbacks imply no order, so none is assumed.
   */
  from(origins: Iterable<ValueSource>): MarkedValues {
    const marks = new Map<ValueSource, ValueSource>();
    const open: ValueSource[] = [];
    const mark = (source: ValueSource, origin: ValueSource): void => {
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

  /** The steps whose results other steps use. */
  usedSteps(): readonly PlanStep[] {
    return this.#plan.steps.filter(({ index }) => this.#readers.has(index) || this.#undoers.has(index));
  }

  /** The inputs of the chain that are used. */
  usedInputs(): readonly ValueSource[] {
    return [...this.#readers.keys(), ...this.#undoers.keys()].filter((source) => typeof source !== "number");
  }

  /** The steps that are called, or compensated, with a value of these sources. */
  usersOf(sources: Iterable<ValueSource>): readonly PlanStep[] {
    const positions = new Set<number>();
    for (const source of sources) {
      for (const uses of [this.#readers, this.#undoers])
        for (const position of uses.get(source) ?? []) positions.add(position);
    }
    return [...positions].flatMap((position) => this.#plan.steps[position] ?? []);
  }

  /** Sources of a reference of a step. */
  sourcesOf({ root, path: [name, field] }: Reference, step: PlanStep): readonly ValueSource[] {
    switch (root) {
      case "steps":
        return field === "status" ? [] : stepIndexOf(typeof name === "string" ? this.#plan.byId.get(name) : undefined);
      case "context":
        return stepIndexOf(typeof name === "string" ? this.#byAs.get(name) : undefined);
      case "item":
        return this.#itemSources(step);
      case "error":
        // The failing step itself: its message comes from its tool.
        return [step.index];
      case "input":
        return [typeof name === "string" ? name : anyItem];
      default:
        return [];
    }
  }

  #itemSources(step: PlanStep): readonly ValueSource[] {
    const references = step.forEach?.items.references ?? [];
    return references.flatMap((reference) => (reference.root === "item" ? [] : this.sourcesOf(reference, step)));
  }

  #note(uses: Map<ValueSource, number[]>, { references }: CompiledValue, step: PlanStep): void {
    for (const source of new Set(references.flatMap((reference) => this.sourcesOf(reference, step)))) {
      const positions = uses.get(source);
      if (positions === undefined) uses.set(source, [step.index]);
      else if (positions.at(-1) !== step.index) positions.push(step.index);
    }
  }
}

/** The values of a chain that depend on some sources. */
export class MarkedValues {
  readonly #flow: ValueFlow;
  readonly #marks: ReadonlyMap<ValueSource, ValueSource>;

  constructor(flow: ValueFlow, marks: ReadonlyMap<ValueSource, ValueSource>) {
    this.#flow = flow;
    this.#marks = marks;
  }

  /** Parts of a value of a step that depend on them; each text of the value is listed once. */
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

  /** The steps that are called, or compensated, with one of them. */
  users(): readonly PlanStep[] {
    return this.#flow.usersOf(this.#marks.keys());
  }
}

function stepIndexOf(step: PlanStep | undefined): readonly ValueSource[] {
  return step === undefined ? [] : [step.index];
}
