import { type Reference, compileTemplate, missing } from "../../expr/index.ts";
import { showValue } from "../../schema/index.ts";
import type { ReferenceValue } from "../texts/explain-fact.ts";
import { logValue } from "./log-value.ts";
import type { StepLocation } from "./step-location.ts";

/** Values of these roots are not stored with a run. */
const unrecorded = new Set<string>(["env", "item", "index"]);

/** The values of several references, each once. */
export function referenceValues(references: readonly Reference[], site: StepLocation): readonly ReferenceValue[] {
  const once = new Map(references.map((reference) => [reference.text, reference]));
  return Array.from(once.values(), (reference) => valueOf(reference, site));
}

function valueOf({ root, text: reference, path }: Reference, site: StepLocation): ReferenceValue {
  if (root === "secret") return { reference, value: `[secret ${String(path[0])}]` };
  if (unrecorded.has(root)) return { reference, without: "unrecorded" };
  try {
    const value = compileTemplate(`\${${reference}}`).evaluate(site.scope);
    return value === missing ? { reference, without: "missing" } : { reference, value: showShort(value, site) };
  } catch {
    return { reference, without: "unknown" };
  }
}

/** A value on one line, redacted and cut. */
export function showShort(value: unknown, site: StepLocation): string {
  return showValue(logValue(value, site.redactor));
}
