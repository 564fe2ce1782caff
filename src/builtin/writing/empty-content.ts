import type { FailureError } from "../../base/index.ts";
import { writingFailure } from "./writing-reasons.ts";

/** Returns the failure of a call whose input `name` contains nothing to work on; it describes what is there instead. */
export function emptyContent(name: string, value: unknown): FailureError {
  return writingFailure("empty_content", `there is nothing to work on: \`${name}\` ${whatIs(value)}`, {
    parameter: name,
  });
}

function whatIs(value: unknown): string {
  if (value === undefined || value === null) return "is missing";
  if (typeof value === "string") return "is an empty text";
  if (Array.isArray(value)) return whatIsIn(value);
  if (typeof value !== "object") return `is ${JSON.stringify(value)}, and not a text`;
  if (Object.keys(value).length === 0) return "is an empty object";
  const error = errorIn(value);
  return error === undefined ? "is an object without any text" : `contains only an error: ${error}`;
}

function whatIsIn(list: readonly unknown[]): string {
  if (list.length === 0)
    return "is an empty list; if it comes from a search, nothing was found: search with other words";
  const [error] = list.flatMap((item) => errorIn(item) ?? []);
  return error === undefined
    ? "is a list without any text"
    : `contains only errors, ${list.length} of them; the first is: ${error}`;
}

/** Returns the error that tools return in place of content that they could not read. */
function errorIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("error" in value)) return undefined;
  const { error } = value;
  const text = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return typeof text === "string" && text !== "" ? text.slice(0, 200).toWellFormed() : undefined;
}
