import { showValue } from "./show-value.ts";
import { setOwn } from "./subschemas.ts";

/** Limits of a copied value: its depth and its size (approximate characters of JSON). */
export interface CopyLimits {
  readonly maxDepth: number;
  readonly maxChars: number;
}

/** Result of {@link copyFrozenJson}: the frozen copy, or the problem. */
export type JsonCopy =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: string; readonly reason: string };

/** Copies and freezes plain JSON data; a cycle, a class instance or anything else that JSON cannot carry is refused. */
export function copyFrozenJson(value: unknown, limits: CopyLimits): JsonCopy {
  const copying = new Copying(limits);
  try {
    return { ok: true, value: copying.copy(value, 0) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, fault: error.message, reason: error.reason };
    throw error;
  }
}

class Refused extends Error {
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

class Copying {
  readonly #limits: CopyLimits;
  #size = 0;

  constructor(limits: CopyLimits) {
    this.#limits = limits;
  }

  copy(value: unknown, depth: number): unknown {
    if (depth > this.#limits.maxDepth) {
      throw new Refused(`nests more than ${this.#limits.maxDepth} levels deep`, "schema_too_deep");
    }
    this.#spend(typeof value === "string" ? value.length + 2 : 4);
    if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value))
      return value;
    if (Array.isArray(value)) return Object.freeze(value.map((item) => this.copy(item, depth + 1)));
    if (isPlain(value)) return this.#copyObject(value, depth);
    throw new Refused(`contains ${showValue(value)}, which JSON cannot carry`, "bad_schema");
  }

  #copyObject(value: object, depth: number): unknown {
    const result: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      // JSON.stringify would omit it.
      if (item === undefined) continue;
      this.#spend(key.length + 4);
      setOwn(result, key, this.copy(item, depth + 1));
    }
    return Object.freeze(result);
  }

  #spend(size: number): void {
    this.#size += size;
    if (this.#size <= this.#limits.maxChars) return;
    throw new Refused(`is larger than ${this.#limits.maxChars / 1024} KiB`, "schema_too_large");
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // A plain object of another realm has a prototype whose own prototype is null.
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}
