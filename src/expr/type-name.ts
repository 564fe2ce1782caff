import { missing } from "./scope.ts";

/** The type of a value, as `type()` and messages name it: string, number, boolean, null, list or object. */
export function typeName(value: unknown): string {
  if (value === missing || value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
