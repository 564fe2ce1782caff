import { fail, mapMembers } from "../base/index.ts";
import { isSecretHandle } from "./secret-handle.ts";

/** Handles replace templates, and no file or value with templates nests deeper. */
const maxDepth = 128;

/**
 * The value with the secrets in place of their handles: a copy, or the same value if it contains none. A secret that
 * is not set is a failure (`not_available`, reason `secret_not_set`); `todo` returns advice for it.
 *
 * @example
 * ```ts
 * const params = compileValue({ token: "${secret.API}" }, { missing: "drop" }).value.evaluate({});
 * openSecrets(params, (name) => process.env[name]); // { token: "…" }
 * ```
 */
export function openSecrets(value: unknown, get: GetSecret, todo: GetSecret = () => undefined): unknown {
  return open(value, (name) => get(name) ?? notSet(name, todo(name)), 0);
}

type GetSecret = (name: string) => string | undefined;

function open(value: unknown, get: (name: string) => string, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (isSecretHandle(value)) return get(value.name);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  return mapMembers(value, (item) => open(item, get, depth + 1));
}

function notSet(name: string, todo = 'declare its source under "secrets" of the workspace'): never {
  const message = `the secret ${name} is not set; ${todo}`;
  throw fail(message, { code: "not_available", reason: "secret_not_set", retry: "never" });
}
