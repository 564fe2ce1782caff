import type { ChainReport } from "./chain-report.ts";
import type { CompiledStep } from "./compile-step.ts";
import type { Links } from "./link-steps.ts";
import type { ExpressionRole, ReferenceUse } from "./part-reader.ts";
import type { StepNames } from "./step-names.ts";

/** Roles of expressions that are evaluated when a step fails; the step does not wait for the steps that they read. */
const afterFailure: ReadonlySet<ExpressionRole> = new Set(["fallback", "retry"]);

/** The steps of a chain, with their connections and the references of the chain itself. */
export interface LinkedChain {
  readonly parts: readonly CompiledStep[];
  readonly links: readonly Links[];
  readonly names: StepNames;
  readonly uses: readonly ReferenceUse[];
}

/**
 * Warns of fallbacks and retry conditions that read a step which may still be running: the value would be missing, and
 * only sometimes.
 */
export function checkUnfinished({ parts, links, names, uses }: LinkedChain, report: ChainReport): void {
  for (const [index, part] of parts.entries()) {
    for (const use of part.uses) check(use, [index]);
  }
  const inherit = parts.flatMap(({ step }, index) => (step.spec.error_handling === undefined ? [index] : []));
  for (const use of uses) check(use, inherit);

  function check(use: ReferenceUse, readers: readonly number[]): void {
    const { reference, role, path } = use;
    if (!afterFailure.has(role) || reference.guarded) return;
    const read = stepOf(use, names);
    if (read === undefined) return;
    const reader = readers.find((index) => index !== read && !waitsFor(index, read, links));
    if (reader === undefined) return;
    const [id, by] = [read, reader].map((index) => parts[index]?.step.id ?? "");
    const message = `"${by}" does not wait for "${id}", which may still be running: then this has no value`;
    const hint = `add depends_on: [${id}] to "${by}", or write \${${reference.text} ?? …}`;
    const inside = [reference.at, reference.length] as const;
    report.add("unfinished_step", path, [message, { hint, inside, severity: "warning" }]);
  }
}

/** The step that a reference reads. */
function stepOf({ reference: { root, path } }: ReferenceUse, { byId, byAs }: StepNames): number | undefined {
  const [name] = path;
  if (typeof name !== "string") return undefined;
  return root === "steps" ? byId.get(name) : root === "context" ? byAs.get(name) : undefined;
}

/** True if a step starts only after the other one has settled. Without recursion: a chain may be long. */
function waitsFor(step: number, other: number, links: readonly Links[]): boolean {
  const reached = new Set([step]);
  for (const index of reached) {
    for (const need of links[index]?.needs ?? []) {
      if (need === other) return true;
      reached.add(need);
    }
  }
  return false;
}
