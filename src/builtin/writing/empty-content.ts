import type { FailureError } from "../../base/index.ts";
import { writingFailure } from "./writing-reasons.ts";

/** The failure of a call whose input `name` holds nothing to work on; it says what is there instead. */
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
  return error === undefined ? "is an object without any text" : `holds only an error: ${error}`;
}

function whatIsIn(list: readonly unknown[]): string {
  if (list.length === 0) return "is an empty list; if it comes from a search, nothing was found: try other words";
  const [error] = list.flatMap((item) => errorIn(item) ?? []);
  return error === undefined
    ? "is a list without any text"
    : `holds only errors, ${list.length} of them; the first is: ${error}`;
}

/** What tools give in place of what they could not read. */
function errorIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("error" in value)) return undefined;
  const { error } = value;
  const said = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return typeof said === "string" && said !== "" ? said.slice(0, 200).toWellFormed() : undefined;
}
