/** Longer responses are not searched: no request expects that much JSON. */
const maxLength = 2 ** 20;
/** Maximum number of start offsets that are tried; each costs a scan to the end of the object. */
const maxStarts = 32;

/** The JSON objects of a response, and the problem of the first candidate that is not valid JSON. */
export interface JsonMatches {
  /** Texts that `JSON.parse` accepts, the longest first. */
  readonly objects: readonly string[];
  readonly problem?: string;
}

/**
 * Finds the JSON objects in a model response. Models wrap them in prose and fences, leave commas before closing
 * brackets, and write raw line breaks into strings; these defects are repaired. Anything that needs guessing (single
 * quotes, missing brackets, bare words) is not repaired: the model can correct it in another turn.
 *
 * @example
 * ```ts
 * findJson('Here it is:\n```json\n{"a": [1, 2,],}\n```').objects; // ['{"a": [1, 2]}']
 * ```
 */
export function findJson(answer: string): JsonMatches {
  if (answer.length > maxLength) return { objects: [], problem: `it is longer than ${maxLength / 1024} KiB` };
  const objects: string[] = [];
  let problem: string | undefined;
  let at = answer.indexOf("{");
  for (let starts = 0; at !== -1 && starts < maxStarts; starts++) {
    const object = readObject(answer, at);
    const wrong = object === undefined ? "a bracket or a quote is never closed" : wrongWith(object.text);
    if (object !== undefined && wrong === undefined) objects.push(object.text);
    else problem ??= wrong;
    // Skips the contents of a broken object, which are not an answer either. An object that never ends may be prose
    // before the answer.
    at = answer.indexOf("{", object?.end ?? at + 1);
  }
  return { objects: objects.toSorted((a, b) => b.length - a.length), ...(problem !== undefined && { problem }) };
}

/** The repaired object that begins at `start`, and its end offset; undefined if it never ends. */
function readObject(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const end = objectEnd(text, start);
  return end === undefined ? undefined : { text: repairJson(text.slice(start, end)), end };
}

function objectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') {
      at = stringEnd(text, at) - 1;
    } else if (unit === "{" || unit === "[") depth++;
    else if ((unit === "}" || unit === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}

/** Removes commas before closing brackets, and escapes line breaks in strings. */
function repairJson(object: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < object.length; at++) {
    if (object[at] === '"') {
      const end = stringEnd(object, at);
      parts.push(object.slice(copied, at), withoutControls(object.slice(at, end)));
      copied = end;
      at = end - 1;
    } else if (object[at] === "," && closesNext(object, at + 1)) {
      parts.push(object.slice(copied, at));
      copied = at + 1;
    }
  }
  return parts.join("") + object.slice(copied);
}

/** Offset after the closing quote of the string that opens here; the end of the text if it never closes. */
function stringEnd(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

const names: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

// oxlint-disable-next-line no-control-regex
const controls = /[\0-\x1f]/g;

/** Escapes line breaks and other control characters, as JSON requires. */
function withoutControls(string: string): string {
  return string.replaceAll(controls, (unit) => names[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Sticky, so that it matches no further than the next significant character. */
const closing = /\s*[}\]]/y;

function closesNext(text: string, from: number): boolean {
  closing.lastIndex = from;
  return closing.test(text);
}

/** The reason why the text is not valid JSON. */
function wrongWith(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 160) : "it is not valid JSON";
  }
}
