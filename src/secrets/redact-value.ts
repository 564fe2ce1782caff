import { isSecretName } from "./secret-names.ts";
import { type Failure, type Issue, isPlainObject } from "../base/index.ts";

/** Replacement of a secret. */
export const redactedMarker = "[redacted]";

/** Replacement of a value that cannot be read. */
const unreadable = "[unreadable]";

/** Deeper values are not scanned, so they are redacted. */
const maxDepth = 64;

type RedactText = (text: string) => string;

/** Rules of redaction for a value. */
export interface RedactionRules {
  readonly text: RedactText;
  /** Redacts field names. */
  readonly name: RedactText;
  /** True if a member is redacted regardless of its value. */
  readonly isRedacted: (key: unknown, item: unknown) => boolean;
}

/**
 * Redacts secrets in a value of any kind. Scans first and copies only if something has to change, so that the many
 * values without secrets cost no allocation and keep their identity.
 */
export function redactValue(value: unknown, rules: RedactionRules): unknown {
  if (typeof value === "string") return rules.text(value);
  if (typeof value !== "object" || value === null) return value;
  return mustChange(value, rules) ? copyOf(value, { ...rules, copies: new Map() }, 0) : value;
}

function mustChange(value: object, { text, name, isRedacted }: RedactionRules): boolean {
  try {
    return holdsSecret(value, { text, name, isRedacted, seen: undefined }, 0);
  } catch {
    // A getter or a proxy threw; the copy skips it.
    return true;
  }
}

interface Look extends RedactionRules {
  seen: Set<object> | undefined;
}

function holdsSecret(value: unknown, look: Look, depth: number): boolean {
  if (typeof value === "string") return look.text(value) !== value;
  if (typeof value !== "object" || value === null) return false;
  if (depth > maxDepth) return true;
  if (look.seen?.has(value)) return false;
  // Not the root: a flat value needs no set, and a cycle is found one level later.
  if (depth > 0) (look.seen ??= new Set()).add(value);
  if (Array.isArray(value)) return value.some((item) => holdsSecret(item, look, depth + 1));
  if (isPlainObject(value)) return fieldsHoldSecret(value, look, depth);
  return unusualHoldsSecret(value, look, depth);
}

function fieldsHoldSecret(value: object, look: Look, depth: number): boolean {
  // `for in` with hasOwn: on the hot path it is faster than Object.keys and allocates nothing.
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    const item = (value as Record<string, unknown>)[key];
    if (look.isRedacted(key, item) || look.name(key) !== key || holdsSecret(item, look, depth + 1)) return true;
  }
  return false;
}

function unusualHoldsSecret(value: object, look: Look, depth: number): boolean {
  if (value instanceof Date || value instanceof RegExp) return false;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return bytesHoldSecret(value, look.text);
  if (value instanceof Map) {
    return [...value].some(
      ([key, item]) =>
        look.isRedacted(key, item) || holdsSecret(key, look, depth + 1) || holdsSecret(item, look, depth + 1),
    );
  }
  if (value instanceof Set) return [...value].some((item) => holdsSecret(item, look, depth + 1));
  if (value instanceof Error) return holdsSecret(errorFields(value), look, depth);
  const json = ownJson(value);
  return json === undefined ? fieldsHoldSecret(value, look, depth) : holdsSecret(json.value, look, depth + 1);
}

interface Copy extends RedactionRules {
  readonly copies: Map<object, unknown>;
}

function copyOf(value: unknown, copy: Copy, depth: number): unknown {
  if (typeof value === "string") return copy.text(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) return unreadable;
  const known = copy.copies.get(value);
  if (known !== undefined) return known;
  try {
    if (Array.isArray(value)) return copyArray(value, copy, depth);
    return isPlainObject(value) ? copyFields(value, {}, { ...copy, depth }) : copyUnusual(value, copy, depth);
  } catch {
    return unreadable;
  }
}

function copyArray(value: readonly unknown[], copy: Copy, depth: number): unknown[] {
  const result: unknown[] = [];
  copy.copies.set(value, result);
  for (const item of value) result.push(copyOf(item, copy, depth + 1));
  return result;
}

function copyFields<T extends object>(value: object, into: T, { depth, ...copy }: Copy & { depth: number }): T {
  copy.copies.set(value, into);
  let alike = 1;
  for (const key of Object.keys(value)) {
    const item = read(value, key);
    const name = copy.name(key);
    // Two names that become equal after redaction are still two fields.
    const isTaken = name !== key && Object.hasOwn(into, name);
    // Defined, not assigned: a field named `__proto__` stays a field.
    Object.defineProperty(into, isTaken ? `${name} ${++alike}` : name, {
      value: copy.isRedacted(key, item) ? redactedMarker : copyOf(item, copy, depth + 1),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return into;
}

function copyUnusual(value: object, copy: Copy, depth: number): unknown {
  if (value instanceof Date || value instanceof RegExp) return value;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return bytesHoldSecret(value, copy.text) ? `[redacted, ${value.byteLength} bytes]` : value;
  }
  if (value instanceof Map) return copyMap(value, copy, depth);
  if (value instanceof Set) return copySet(value, copy, depth);
  if (value instanceof Error) return copyError(value, copy, depth);
  const json = ownJson(value);
  return json === undefined ? copyFields(value, {}, { ...copy, depth }) : copyOf(json.value, copy, depth + 1);
}

function copyMap(value: ReadonlyMap<unknown, unknown>, copy: Copy, depth: number): Map<unknown, unknown> {
  const result = new Map<unknown, unknown>();
  copy.copies.set(value, result);
  for (const [key, item] of value) {
    result.set(
      copyOf(key, copy, depth + 1),
      copy.isRedacted(key, item) ? redactedMarker : copyOf(item, copy, depth + 1),
    );
  }
  return result;
}

function copySet(value: ReadonlySet<unknown>, copy: Copy, depth: number): Set<unknown> {
  const result = new Set<unknown>();
  copy.copies.set(value, result);
  for (const item of value) result.add(copyOf(item, copy, depth + 1));
  return result;
}

/** An error stays an error with the same name; its class is lost. */
function copyError(value: Error, copy: Copy, depth: number): Error {
  const result = new Error();
  copy.copies.set(value, result);
  copyFields(errorFields(value), result, { ...copy, depth });
  for (const hidden of ["name", "message", "stack", "cause"] as const) {
    if (Object.hasOwn(result, hidden)) Object.defineProperty(result, hidden, { enumerable: false });
  }
  return result;
}

/** The fields of an error, including hidden ones. */
function errorFields(value: Error): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const key of new Set(["name", "message", "stack", "cause", "errors", ...Object.keys(value)])) {
    const item = read(value, key);
    if (item !== undefined) fields[key] = item;
  }
  return fields;
}

/** A value under a sensitive name is redacted regardless of its content; booleans and empty values reveal nothing. */
export function hasSecretName(key: unknown, item: unknown): boolean {
  if (typeof key !== "string" || item === redactedMarker || !isSecretName(key) || isSecretMark(item)) return false;
  return item !== null && item !== undefined && item !== "" && typeof item !== "boolean" && typeof item !== "function";
}

/** `[secret CRM_TOKEN]` stands for an unresolved secret: its name helps the reader and reveals nothing. */
function isSecretMark(item: unknown): boolean {
  return typeof item === "string" && /^\[secret [\w.-]{1,128}\]$/.test(item);
}

function bytesHoldSecret(value: ArrayBufferView | ArrayBuffer, text: RedactText): boolean {
  const bytes = ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(value);
  const characters = bytes.toString("utf8");
  return text(characters) !== characters;
}

/** The JSON form of a value with its own `toJSON`, such as a URL. */
function ownJson(value: object): { value: unknown } | undefined {
  const method = read(value, "toJSON");
  if (typeof method !== "function") return undefined;
  const result: unknown = Reflect.apply(method, value, []);
  return result === value ? undefined : { value: result };
}

function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return unreadable;
  }
}

/** Identifiers that programs compare: `unknown_city`, `type`. */
const programWord = /^[a-z][a-z\d_.-]{0,63}$/;

/** A failure without the secrets in its texts. Its code and reason stay; without secrets it is the same object. */
export function redactFailure(error: Failure, text: (value: string) => string): Failure {
  const message = text(error.message);
  const forModel = text(error.forModel);
  const reason = error.reason === undefined || programWord.test(error.reason) ? error.reason : text(error.reason);
  const issues = error.issues?.map((issue) => redactIssue(issue, text));
  const isClean =
    message === error.message &&
    forModel === error.forModel &&
    reason === error.reason &&
    (issues === undefined || issues.every((issue, at) => issue === error.issues?.[at]));
  if (isClean) return error;
  return { ...error, message, forModel, ...(reason !== undefined && { reason }), ...(issues && { issues }) };
}

/** An issue without the secrets in its texts; its path may contain a name from user data. */
export function redactIssue(issue: Issue, text: (value: string) => string): Issue {
  const path = issue.path.map((name) => (typeof name === "string" ? text(name) : name));
  const message = text(issue.message);
  const suggestion = issue.suggestion === undefined ? undefined : text(issue.suggestion);
  const isClean =
    message === issue.message && suggestion === issue.suggestion && path.every((name, at) => name === issue.path[at]);
  return isClean ? issue : { ...issue, path, message, ...(suggestion !== undefined && { suggestion }) };
}
