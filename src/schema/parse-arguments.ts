import { type Issue, exceedsJsonKeys, formatPath, inputLimits, errorMessage } from "../base/index.ts";
import { showValue } from "./show-value.ts";
import type { Validation } from "./schema.ts";

/** Arguments beyond these limits are not an honest mistake: they are refused before any other check. */
const { argumentBytes: maxBytes, argumentDepth: maxDepth, argumentKeys: maxNodes } = inputLimits;

/** Keys that reach an object's prototype in careless code. */
export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Parses the arguments of a call as a model or a person sent them: one JSON object, of a sane size and depth,
 * without keys that reach prototypes, in well-formed Unicode. Its single issue says what to send instead.
 *
 * @example
 * ```ts
 * parseArguments('{"url": "https://example.com"}'); // { value: { url: "https://example.com" } }
 * parseArguments("[]"); // { issues: [{ code: "args_not_object", … }] }
 * ```
 *
 * @param known The value of the text, if it was parsed before.
 */
export function parseArguments(text: string, known?: unknown): Validation<Record<string, unknown>> {
  // A JSON text of n characters has at least n bytes, so most texts need no counting.
  if (text.length > maxBytes || (text.length > maxBytes / 4 && Buffer.byteLength(text) > maxBytes)) {
    return refuse("args_too_large", `the arguments are larger than ${maxBytes / 1024} KiB; send less`);
  }
  if (exceedsJsonKeys(text, maxNodes)) return refuse("args_too_large", tooManyValues);
  let value: unknown;
  try {
    value = known ?? JSON.parse(text);
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

/** Escapes may hide a key, or a lone surrogate. */
const suspicious = new RegExp(`\\\\u|${[...forbiddenKeys].join("|")}`);

/** Most arguments are so short that their text alone proves them safe. */
function isHarmless(text: string): boolean {
  // Each level needs two characters.
  return text.length < maxDepth * 2 && !suspicious.test(text) && text.isWellFormed();
}

type Path = readonly (string | number)[];

/** Walks without recursion, and stops at the first problem. */
function inspect(root: object): Issue | undefined {
  let nodes = 0;
  const open: { node: object; path: Path }[] = [{ node: root, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, path } = next;
    if (path.length >= maxDepth) {
      return {
        path: [],
        code: "args_too_deep",
        message: `the arguments nest more than ${maxDepth} levels deep; flatten them`,
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
    if (nodes > maxNodes) {
      return {
        path: [],
        code: "args_too_large",
        message: tooManyValues,
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
      message: `the key ${showValue(key)} is not allowed; remove it`,
    };
  }
  if (key.isWellFormed() && (typeof item !== "string" || item.isWellFormed())) return undefined;
  const at = [...path, key.toWellFormed()];
  return {
    path: at,
    code: "bad_unicode",
    message: `${formatPath(at)} contains half a character (a lone surrogate); send complete text`,
  };
}

function notJson(text: string, error: unknown): string {
  if (text.trim() === "") return "the arguments are empty; send one JSON object, {} if there are none";
  return `the arguments are not JSON (${errorMessage(error).slice(0, 120)}); send one JSON object, its keys and texts in double quotes`;
}

const tooManyValues = `the arguments contain more than ${maxNodes} values; send fewer`;

function refuse(code: string, message: string): Validation<never> {
  return { issues: [{ path: [], code, message }] };
}
