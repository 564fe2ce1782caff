import { fail, mapMembers, isPlainObject } from "../base/index.ts";
import { isSecretHandle } from "./secret-handle.ts";

/** Handles replace templates, and no file or value with templates nests deeper. */
const maxDepth = 128;

/** A secret in the arguments of a call. Its position is outside of them, so that no text in them can pass for one. */
export interface SecretArgument {
  readonly name: string;
  /** Keys and indices that lead to it; empty if it is the value itself. */
  readonly path: readonly (string | number)[];
}

/** A value as plain data, and the secrets that belong into it. */
export interface ClosedValue {
  readonly value: unknown;
  /** Undefined if there are none; the value is then the same. */
  readonly secrets: readonly SecretArgument[] | undefined;
}

/** Replaces secret handles by texts with their names, in a copy. Reversed by {@link openSecrets}. */
export function closeSecrets(value: unknown): ClosedValue {
  const secrets = findHandles(value, 0);
  if (secrets.length === 0) return { value, secrets: undefined };
  return { value: secrets.reduce((args, { name, path }) => put(args, path, `[secret ${name}]`), value), secrets };
}

const none: readonly SecretArgument[] = [];

/** The handles in a value. Paths are built for handles only: arguments may be large. */
function findHandles(value: unknown, depth: number): readonly SecretArgument[] {
  if (typeof value !== "object" || value === null || depth > maxDepth) return none;
  if (isSecretHandle(value)) return [{ name: value.name, path: [] }];
  let found: SecretArgument[] | undefined;
  const look = (key: string | number, item: unknown): void => {
    for (const { name, path } of findHandles(item, depth + 1)) (found ??= []).push({ name, path: [key, ...path] });
  };
  if (Array.isArray(value)) for (const [index, item] of value.entries()) look(index, item);
  else if (isPlainObject(value)) for (const [key, item] of Object.entries(value)) look(key, item);
  return found ?? none;
}

/**
 * A copy of the value with its secrets. A secret that is not set is a failure (`not_available`, reason
 * `secret_not_set`); `todo` returns advice for it.
 *
 * @example
 * ```ts
 * const params = compileValue({ token: "${secret.API}" }, { missing: "drop" }).value.evaluate({});
 * openSecrets(closeSecrets(params), (name) => process.env[name]); // { token: "…" }
 * ```
 */
export function openSecrets({ value, secrets = [] }: ClosedValue, get: GetSecret, todo?: GetSecret): unknown {
  return secrets.reduce((args, { name, path }) => put(args, path, get(name) ?? notSet(name, todo?.(name))), value);
}

type GetSecret = (name: string) => string | undefined;

function notSet(name: string, todo = 'declare its source under "secrets" of the workspace'): never {
  const message = `the secret ${name} is not set; ${todo}`;
  throw fail(message, { code: "not_available", reason: "secret_not_set", retry: "never" });
}

/** A copy with this text at the path. */
function put(value: unknown, [key, ...rest]: readonly (string | number)[], text: string): unknown {
  if (key === undefined) return text;
  // A path leads through lists and objects only.
  return mapMembers(value as object, (item, name) => (name === key ? put(item, rest, text) : item));
}
