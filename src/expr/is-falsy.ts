import { missing } from "./missing.ts";

/** Missing, null, false, 0, "" and the empty list do not hold; everything else does. */
export function isFalsy(value: unknown): boolean {
  return (
    value === missing ||
    value === null ||
    value === undefined ||
    value === false ||
    value === 0 ||
    value === "" ||
    (Array.isArray(value) && value.length === 0)
  );
}
