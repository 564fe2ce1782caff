import { FailureError } from "../base/index.ts";
import { showUnsafe } from "../text/index.ts";

/** The longest name of a tool, in UTF-16 units. */
const longest = 128;

/**
 * Why a tool cannot have this name, or undefined where it can: letters of any script, digits, `_`, `-` and `.`,
 * starting with a letter or `_`, with at most one `/` after a namespace.
 *
 * @example
 * ```ts
 * toolNameProblem("web_search"); // undefined
 * toolNameProblem("../../x"); // "must start with a letter or _"
 * ```
 */
export function toolNameProblem(name: unknown): string | undefined {
  if (typeof name !== "string" || name === "") return "must be a text that is not empty";
  if (name.length > longest) return `may have at most ${longest} characters, has ${name.length}`;
  // Most names; the classes of letters of all scripts take their time to be made.
  if (/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) return undefined;
  if (/\p{Default_Ignorable_Code_Point}/u.test(name)) return `holds a character that nobody sees: ${showUnsafe(name)}`;
  if (name.normalize("NFC") !== name) return "must be in Unicode normal form C; write its accents as single characters";
  if (!/^[\p{L}_]/u.test(name)) return "must start with a letter or _";
  if (!/^[\p{L}_][\p{L}\p{M}\p{N}_.-]*(?:\/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*)?$/u.test(name))
    return "may hold letters, digits, _, - and ., and one / after a namespace";
  return undefined;
}

/** Throws `tool_invalid`, reason `bad_tool_name`, where a tool cannot have this name. */
export function checkToolName(name: unknown): void {
  const problem = toolNameProblem(name);
  if (problem === undefined) return;
  const shown = typeof name === "string" && name !== "" ? ` ${JSON.stringify(showUnsafe(name.slice(0, 80)))}` : "";
  throw new FailureError(`the tool name${shown} ${problem}`, { code: "tool_invalid", reason: "bad_tool_name" });
}
