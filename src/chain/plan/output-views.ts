import { type Reference, type Select, anyItem, compileTemplate, isExpressionError } from "../../expr/index.ts";
import { isRecord } from "../../schema/index.ts";
import { calledPlan } from "./chain-effect.ts";
import type { Plan, PlanStep, Target } from "./plan.ts";
import { selectSteps, type ValueView, type ViewStep, followPath, typeOfView, viewOfSchema } from "./value-view.ts";
import { segmentRange } from "./part-reader.ts";

/** Maximum depth to which chains in chains are followed; a chain may call itself. */
const maxDepth = 8;

/** The parts of a plan that determine the types of its values. */
export type ViewedPlan = Pick<Plan, "steps" | "byId" | "spec" | "input">;

/** Types of the values of one chain. */
export class OutputViews {
  readonly #plan: ViewedPlan;
  readonly #depth: number;
  readonly #steps = new Map<PlanStep, readonly (ValueView | undefined)[]>();
  readonly #asNames: ReadonlyMap<string, PlanStep>;
  readonly #input: ValueView | undefined;

  constructor(plan: ViewedPlan, depth = 0) {
    this.#plan = plan;
    this.#depth = depth;
    this.#asNames = new Map(plan.steps.flatMap((step) => (step.as === undefined ? [] : [[step.as, step]])));
    this.#input = plan.spec.input === undefined ? undefined : viewOfSchema(plan.input.json);
  }

  /**
   * The views that a reference starts from, and the rest of its path. Several views if a fallback may replace the step:
   * only a field that none of them has is certainly missing. Undefined if nothing is known.
   */
  start({ root, path }: Reference, user: PlanStep | undefined): ViewStart | undefined {
    const [first, second] = path;
    if (root === "input") return { views: [this.#input], skip: 0, name: "the input" };
    if (root === "item" && user !== undefined) return { views: [this.#itemOf(user)], skip: 0, name: "the item" };
    const step = this.#stepOf(root, first);
    if (step === undefined) return undefined;
    const skip = root === "steps" ? 2 : 1;
    if (root === "steps" && second !== "output") return undefined;
    // A step that reads itself sees one round or one item, not yet the list of all.
    const views = step === user ? this.#ownViews(step) : this.ofStep(step);
    return { views, skip, name: `the output of "${step.id}"` };
  }

  /** Possible outputs of a step: its own, and that of each fallback. */
  ofStep(step: PlanStep): readonly (ValueView | undefined)[] {
    const known = this.#steps.get(step);
    if (known !== undefined) return known;
    const own = this.#ownViews(step);
    const views =
      step.forEach === undefined ? own : [{ kind: "list" as const, item: own.length === 1 ? own[0] : undefined }];
    this.#steps.set(step, views);
    return views;
  }

  /** Output of the chain. */
  ofOutput(): ValueView | undefined {
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

  #ownViews({ target, select, onFailure }: PlanStep): readonly (ValueView | undefined)[] {
    return [{ target, select }, ...onFailure.fallback].map((call) => selected(this.ofTarget(call.target), call.select));
  }

  /** Output of a tool or chain, before `select`. */
  ofTarget(target: Target): ValueView | undefined {
    if (target.tool !== undefined) return viewOfSchema(target.tool.output?.json);
    const plan = this.#depth >= maxDepth ? undefined : calledPlan(target);
    return plan && new OutputViews(plan, this.#depth + 1).ofOutput();
  }

  #itemOf({ spec }: PlanStep): ValueView | undefined {
    const list = typeof spec.for_each === "string" ? this.ofText(spec.for_each) : undefined;
    const followed = followPath(list, [{ kind: "each" }]);
    return "view" in followed ? followed.view : undefined;
  }

  #valueView(value: unknown): ValueView | undefined {
    if (typeof value === "string") return this.ofText(value);
    if (!isRecord(value)) return undefined;
    const fields = Object.entries(value).map(([key, item]) => [key, () => this.#valueView(item)] as const);
    return { kind: "map", fields: new Map(fields) };
  }

  /** JSON Schema type of a text with expressions, if it is known: text, or the type of a single reference. */
  typeOfText(text: string, user: PlanStep): string | undefined {
    return isOneExpression(text) ? typeOfView(this.ofText(text, user)) : "string";
  }

  /** View of a text that is a single reference; `user` is the step whose text it is. */
  ofText(text: string, user?: PlanStep): ValueView | undefined {
    const reference = onlyReference(text);
    const start = reference && this.start(reference, user);
    if (reference === undefined || start === undefined) return undefined;
    const followed = followPath(single(start.views), viewSteps(reference, start.skip));
    if (!("view" in followed)) return undefined;
    const many = viewSteps(reference, start.skip).some((step) => typeof step === "object" && step.kind === "each");
    return many ? { kind: "list", item: followed.view } : followed.view;
  }
}

/** Start for following a reference. */
export interface ViewStart {
  readonly views: readonly (ValueView | undefined)[];
  /** Number of path segments that lead there. */
  readonly skip: number;
  /** For messages. */
  readonly name: string;
}

/** The segments of a reference from the given one on. */
export function viewSteps(reference: Reference, from: number): readonly ViewStep[] {
  return reference.path.slice(from).map((segment, index): ViewStep => {
    if (segment !== anyItem) return segment;
    const [at, length] = segmentRange(reference, from + index);
    const written = reference.text.slice(at - reference.at, at - reference.at + length);
    if (/^\[\s*[*?]/.test(written)) return { kind: "each" };
    return { kind: /^\[[^"'[(]*:/.test(written) ? "slice" : "computed" };
  });
}

/** True also for an expression with a syntax error, which is reported by itself. */
export function isOneExpression(text: string, trims = false): boolean {
  try {
    return compileTemplate(text, { trims }).whole;
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    return true;
  }
}

/** The reference that a text consists of; undefined if it contains anything else. */
export function onlyReference(text: string): Reference | undefined {
  try {
    const { whole, references } = compileTemplate(text, { trims: true });
    const [reference, ...others] = references;
    if (!whole || reference === undefined || others.length > 0) return undefined;
    return /^\$\{\s*(.*?)\s*\}$/s.exec(text.trim())?.[1] === reference.text ? reference : undefined;
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    return undefined;
  }
}

function single(views: readonly (ValueView | undefined)[]): ValueView | undefined {
  return views.length === 1 ? views[0] : undefined;
}

function selected(view: ValueView | undefined, select: Select | undefined): ValueView | undefined {
  if (view === undefined || select === undefined) return view;
  const steps = selectSteps(select);
  const followed = steps === undefined ? undefined : followPath(view, steps, "jsonpath");
  const found = followed !== undefined && "view" in followed ? followed.view : undefined;
  return select.singular ? found : { kind: "list", item: found };
}
