import type { Select } from "../../expr/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { OutputViews, type ViewedPlan, viewSteps } from "./output-views.ts";
import { type ReferenceUse, segmentRange } from "./part-reader.ts";
import { selectSteps, type ViewFault, followPath, notAList } from "./value-view.ts";
import type { PlanStep, Target } from "./plan.ts";

/** Checks that the fields of outputs and inputs that expressions and selects read exist, as far as schemas show. */
export class FieldChecker {
  readonly #views: OutputViews;
  readonly #report: ChainReport;

  constructor(plan: ViewedPlan, report: ChainReport) {
    this.#views = new OutputViews(plan);
    this.#report = report;
  }

  /** Checks one reference; `user` is the step whose expression it is. */
  reference({ reference, path }: ReferenceUse, user: PlanStep | undefined): void {
    // Most references end before any schema.
    if (reference.path.length === 0) return;
    const start = this.#views.start(reference, user);
    if (start === undefined || reference.path.length <= start.skip) return;
    const steps = viewSteps(reference, start.skip);
    const faults = start.views.map((view) => {
      const followed = followPath(view, steps);
      return "fault" in followed ? followed.fault : undefined;
    });
    const [fault] = faults;
    // A fallback may have a field that the tool does not have.
    if (fault === undefined || faults.includes(undefined)) return;
    // The name of an input has been checked already; its fields are checked here.
    if (reference.root === "input" && fault.step === 0) return;
    const inside = segmentRange(reference, start.skip + fault.step);
    const before = reference.text.slice(0, inside[0] - reference.at).replace(/\.$/, "");
    const owner = fault.step === 0 || before === "" ? start.name : before;
    const severity = reference.guarded ? "warning" : "error";
    this.#report.add("unknown_field", path, [
      `${owner} ${fault.message}`,
      { hint: this.#hint(fault), inside, severity },
    ]);
  }

  /** Checks one `select`; a singular one that may find nothing is fine, one that can never match is not. */
  select(select: Select | undefined, target: Target, path: YamlPath): void {
    const steps = selectSteps(select);
    if (steps === undefined) return;
    const followed = followPath(this.#views.ofTarget(target), steps, "jsonpath");
    if (!("fault" in followed)) return;
    const name = steps[followed.fault.step];
    const within = typeof name === "string" ? { within: name } : {};
    const message = `the output of ${target.name} ${followed.fault.message}`;
    this.#report.add("unknown_field", path, [message, { hint: this.#hint(followed.fault), ...within }]);
  }

  /** Checks that the value of `for_each` is a list. */
  loop(step: PlanStep): void {
    const { for_each: text } = step.spec;
    const found = typeof text === "string" ? notAList(this.#views.ofText(text)) : undefined;
    if (found === undefined || typeof text !== "string") return;
    const [list] = found.lists;
    const hint = list === undefined ? listHint(text) : `its list is "${list}": ${text.replace(/\}\s*$/, `.${list}}`)}`;
    this.#report.add(
      "not_a_list",
      ["steps", step.index, "for_each"],
      [`for_each needs a list, but this is ${found.is}`, { hint }],
    );
  }

  #hint({ fields, hint, message }: ViewFault): string | undefined {
    if (hint !== undefined || fields.length === 0) return hint;
    const name = /"(.*)"$/.exec(message)?.[1] ?? "";
    const shown = fields.slice(0, 12).join(", ");
    return this.#report.suggest(name, new Set(fields), `fields: ${fields.length > 12 ? `${shown}, …` : shown}`);
  }
}

/** Suggests a source of a list. */
function listHint(text: string): string {
  const [, input] = /^\s*\$\{\s*input\.([\p{L}\p{N}_-]+)\s*\}\s*$/u.exec(text) ?? [];
  if (input !== undefined) return `declare it as a list, such as ${input}: string[]`;
  return `use a list of the ${/^\s*\$\{\s*input\b/.test(text) ? "input" : "output"}`;
}
