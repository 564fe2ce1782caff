import { type Reference, type Select, anyItem, compileTemplate, isExpressionError } from "../../expr/index.ts";
import { isMap } from "../../schema/index.ts";
import type { Plan, PlanStep, Target } from "./plan.ts";
import { readPlainSelect } from "./plain-select.ts";
import { segmentSpan } from "./segment-span.ts";
import { type View, type ViewStep, follow, viewOfSchema } from "./view.ts";

/** Chains in chains are looked into this deep; a chain may call itself. */
const deepest = 8;

/** The parts of a plan that say what its values look like. */
export type ViewedPlan = Pick<Plan, "steps" | "byId" | "spec" | "input">;

/** What is known of the values of one chain. */
export class OutputViews {
  readonly #plan: ViewedPlan;
  readonly #depth: number;
  readonly #steps = new Map<PlanStep, readonly (View | undefined)[]>();
  readonly #asNames: ReadonlyMap<string, PlanStep>;
  readonly #input: View | undefined;

  constructor(plan: ViewedPlan, depth = 0) {
    this.#plan = plan;
    this.#depth = depth;
    this.#asNames = new Map(plan.steps.flatMap((step) => (step.as === undefined ? [] : [[step.as, step]])));
    this.#input = plan.spec.input === undefined ? undefined : viewOfSchema(plan.input.json);
  }

  /**
   * What a reference starts from, and the steps that remain. Several views where something may stand in for the step:
   * only what none of them has is certain to be missing. Undefined where nothing is known.
   */
  start({ root, path }: Reference, user: PlanStep | undefined): ViewStart | undefined {
    const [first, second] = path;
    if (root === "input") return { views: [this.#input], skip: 0, name: "the input" };
    if (root === "item" && user !== undefined) return { views: [this.#itemOf(user)], skip: 0, name: "the item" };
    const step = this.#stepOf(root, first);
    if (step === undefined) return undefined;
    const skip = root === "steps" ? 2 : 1;
    if (root === "steps" && second !== "output") return undefined;
    // A step that looks at itself sees one round or one item, not yet the list of all.
    const views = step === user ? this.#ownViews(step) : this.ofStep(step);
    return { views, skip, name: `the output of "${step.id}"` };
  }

  /** What a step may give: its own output, and that of each fallback. */
  ofStep(step: PlanStep): readonly (View | undefined)[] {
    const known = this.#steps.get(step);
    if (known !== undefined) return known;
    const own = this.#ownViews(step);
    const views =
      step.forEach === undefined ? own : [{ kind: "list" as const, item: own.length === 1 ? own[0] : undefined }];
    this.#steps.set(step, views);
    return views;
  }

  /** What the chain gives. */
  ofOutput(): View | undefined {
    const { output } = this.#plan.spec;
    if (output !== undefined) return this.#valueView(output);
    const fields = this.#plan.steps.map((step) => [step.id, () => single(this.ofStep(step))] as const);
    return { kind: "map", fields: new Map(fields) };
  }

  #stepOf(root: Reference["root"], name: unknown): PlanStep | undefined {
    if (typeof name !== "string") return undefined;
    if (root === "steps") return this.#plan.byId.get(name);
    return root === "context" ? this.#asNames.get(name) : undefined;
  }

  #ownViews({ target, select, onFailure }: PlanStep): readonly (View | undefined)[] {
    return [{ target, select }, ...onFailure.fallback].map((call) => selected(this.ofTarget(call.target), call.select));
  }

  /** What a tool or chain gives, before anything is selected of it. */
  ofTarget({ tool, chain }: Target): View | undefined {
    if (tool !== undefined) return viewOfSchema(tool.output?.json);
    if (chain === undefined || this.#depth >= deepest) return undefined;
    try {
      return new OutputViews(chain(), this.#depth + 1).ofOutput();
    } catch {
      // What is wrong with that chain is told where it is planned.
      return undefined;
    }
  }

  #itemOf({ spec }: PlanStep): View | undefined {
    const list = typeof spec.for_each === "string" ? this.ofText(spec.for_each) : undefined;
    const followed = follow(list, [{ kind: "each" }]);
    return "view" in followed ? followed.view : undefined;
  }

  #valueView(value: unknown): View | undefined {
    if (typeof value === "string") return this.ofText(value);
    if (!isMap(value)) return undefined;
    const fields = Object.entries(value).map(([key, item]) => [key, () => this.#valueView(item)] as const);
    return { kind: "map", fields: new Map(fields) };
  }

  /** Of a text that is one reference and nothing else. */
  ofText(text: string): View | undefined {
    const reference = onlyReference(text);
    const start = reference && this.start(reference, undefined);
    if (reference === undefined || start === undefined) return undefined;
    const followed = follow(single(start.views), viewSteps(reference, start.skip));
    if (!("view" in followed)) return undefined;
    const many = viewSteps(reference, start.skip).some((step) => typeof step === "object" && step.kind === "each");
    return many ? { kind: "list", item: followed.view } : followed.view;
  }
}

/** Where following a reference begins. */
export interface ViewStart {
  readonly views: readonly (View | undefined)[];
  /** How many segments of the path lead there. */
  readonly skip: number;
  /** For messages. */
  readonly name: string;
}

/** The segments of a reference from the given one on. */
export function viewSteps(reference: Reference, from: number): readonly ViewStep[] {
  return reference.path.slice(from).map((segment, index): ViewStep => {
    if (segment !== anyItem) return segment;
    const [at, length] = segmentSpan(reference, from + index);
    const written = reference.text.slice(at - reference.at, at - reference.at + length);
    if (/^\[\s*[*?]/.test(written)) return { kind: "each" };
    return { kind: /^\[[^"'[(]*:/.test(written) ? "slice" : "computed" };
  });
}

function onlyReference(text: string): Reference | undefined {
  try {
    const { whole, references } = compileTemplate(text);
    const [reference, ...others] = references;
    if (!whole || reference === undefined || others.length > 0) return undefined;
    return text.trim().length === reference.length + 3 ? reference : undefined;
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    return undefined;
  }
}

function single(views: readonly (View | undefined)[]): View | undefined {
  return views.length === 1 ? views[0] : undefined;
}

function selected(view: View | undefined, select: Select | undefined): View | undefined {
  if (view === undefined || select === undefined) return view;
  const steps = readPlainSelect(select.path);
  const followed = steps === undefined ? undefined : follow(view, steps, "jsonpath");
  const found = followed !== undefined && "view" in followed ? followed.view : undefined;
  return select.singular ? found : { kind: "list", item: found };
}
