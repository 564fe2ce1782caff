import { mapMembers } from "../../base/index.ts";
import { isSecretHandle, type Reference, compileTemplate, missing } from "../../expr/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import { showValue } from "../../schema/index.ts";
import type { ReferenceValue } from "../texts/explain-fact.ts";
import type { StepLocation } from "./step-location.ts";

/** Redactor of texts and values for logs. */
export type LogRedactor = Pick<Redactor, "text" | "value">;

/** Redactors go no deeper either. */
const maxDepth = 64;

/** A value as logs show it: plain JSON, secrets redacted, a handle of a secret as `[secret NAME]`. */
export function logValue(value: unknown, redactor: LogRedactor): unknown {
  return redactor.value(nameSecrets(value, 0));
}

/** The same reference if there was no handle, else a copy. */
function nameSecrets(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (isSecretHandle(value)) return String(value);
  return mapMembers(value, (item) => nameSecrets(item, depth + 1));
}

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
