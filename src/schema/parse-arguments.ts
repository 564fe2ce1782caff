import { type Issue, formatPath } from "../base/index.ts";
import { showValue } from "./show-value.ts";
import type { Validation } from "./schema.ts";

/** Arguments beyond these are no mistake: they are refused before anything looks at them. */
const largest = 1024 * 1024;
const deepest = 64;
const mostNodes = 100_000;

/** Keys that reach an object's prototype in careless code. */
export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Reads the arguments of a call as a model or a person sent them: one JSON object, of a sane size and depth, without
 * keys that reach prototypes, in well-formed Unicode. The one issue it gives says what to send instead.
 *
 * @example
 * ```ts
 * parseArguments('{"url": "https://example.com"}'); // { value: { url: "https://example.com" } }
 * parseArguments("[]"); // { issues: [{ code: "args_not_object", … }] }
 * ```
 */
export function parseArguments(text: string): Validation<Record<string, unknown>> {
  // A JSON text of n characters has at least n bytes, so most need no counting.
  if (text.length > largest || (text.length > largest / 4 && Buffer.byteLength(text) > largest)) {
    return refuse("args_too_large", `the arguments are larger than ${largest / 1024} KiB; send less`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse("args_not_json", notJson(text, error));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(
      "args_not_object",
      `the arguments must be one JSON object such as {"name": "value"}, got ${showValue(value)}`,
    );
  }
  const issue = isHarmless(text) ? undefined : inspect(value);
  // Neither an array nor null: an object whose keys are the arguments.
  return issue === undefined ? { value: value as Record<string, unknown> } : { issues: [issue] };
}

/** Escapes may hide a key, or half a character. */
const suspicious = new RegExp(`\\\\u|${[...forbiddenKeys].join("|")}`);

/** Most arguments are so short that nothing can be wrong with what is in them, and their text shows that. */
function isHarmless(text: string): boolean {
  // Each level needs two characters.
  return text.length < deepest * 2 && !suspicious.test(text) && text.isWellFormed();
}

type Path = readonly (string | number)[];

/** Walks without recursion, and stops at the first thing that is wrong. */
function inspect(root: object): Issue | undefined {
  let nodes = 0;
  const open: { node: object; path: Path }[] = [{ node: root, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, path } = next;
    if (path.length >= deepest) {
      return {
        path: [],
        code: "args_too_deep",
        message: `the arguments nest more than ${deepest} levels deep; send them flatter`,
      };
    }
    for (const key of Object.keys(node)) {
      const item = (node as Record<string, unknown>)[key];
      const issue = inspectEntry(key, item, path);
      if (issue !== undefined) return issue;
      nodes++;
      if (typeof item === "object" && item !== null)
        open.push({ node: item, path: [...path, Array.isArray(node) ? Number(key) : key] });
    }
    if (nodes > mostNodes) {
      return {
        path: [],
        code: "args_too_large",
        message: `the arguments hold more than ${mostNodes} values; send fewer`,
      };
    }
  }
  return undefined;
}

function inspectEntry(key: string, item: unknown, path: Path): Issue | undefined {
  if (forbiddenKeys.has(key)) {
    return {
      path: [...path, key],
      code: "forbidden_key",
      message: `the key ${showValue(key)} is not allowed; leave it out`,
    };
  }
  if (key.isWellFormed() && (typeof item !== "string" || item.isWellFormed())) return undefined;
  const at = [...path, key.toWellFormed()];
  return {
    path: at,
    code: "bad_unicode",
    message: `${formatPath(at)} holds half a character (a lone surrogate); send complete text`,
  };
}

function notJson(text: string, error: unknown): string {
  if (text.trim() === "") return "the arguments are empty; send one JSON object, {} where there are none";
  const why = error instanceof Error ? error.message : String(error);
  return `the arguments are not JSON (${why.slice(0, 120)}); send one JSON object, its keys and texts in double quotes`;
}

function refuse(code: string, message: string): Validation<never> {
  return { issues: [{ path: [], code, message }] };
}
