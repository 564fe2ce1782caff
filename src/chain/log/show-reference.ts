import { type Reference, compileTemplate, missing } from "../../expr/index.ts";
import { showValue } from "../../schema/index.ts";
import { logValue } from "./log-value.ts";
import type { StepLocation } from "./step-location.ts";

/** Values of these roots are not stored with a run. */
const unrecorded = new Set<string>(["env", "item", "index"]);

/** `steps.review.output.score = 9`: the value of a reference, cut if it is long. */
function showReference({ root, text, path }: Reference, site: StepLocation): string {
  if (root === "secret") return `${text} = [secret ${String(path[0])}]`;
  if (unrecorded.has(root)) return `${text} (its value is not recorded)`;
  try {
    const value = compileTemplate(`\${${text}}`).evaluate(site.scope);
    return value === missing ? `${text} is missing` : `${text} = ${showShort(value, site)}`;
  } catch {
    return `${text} (its value is unknown)`;
  }
}

/** The values of several references, each once: `a = 1, b is missing`. */
export function showReferences(references: readonly Reference[], site: StepLocation): string {
  const shown = references.map((reference) => showReference(reference, site));
  return [...new Set(shown)].join(", ");
}

/** A value on one line, redacted and cut. */
export function showShort(value: unknown, site: StepLocation): string {
  return showValue(logValue(value, site.redactor));
}
