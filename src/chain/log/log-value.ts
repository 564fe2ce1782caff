import { isSecretHandle } from "../../expr/index.ts";
import type { Redactor } from "../../secrets/index.ts";

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
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => nameSecrets(item, depth + 1));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  const entries = Object.entries(value);
  const named = entries.map(([key, item]) => [key, nameSecrets(item, depth + 1)] as const);
  // fromEntries defines own keys, so a key named __proto__ stays a key.
  return named.some(([, item], at) => item !== entries[at]?.[1]) ? Object.fromEntries(named) : value;
}
