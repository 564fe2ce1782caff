/** Longer answers are not searched: nobody asked for that much. */
const longest = 2 ** 20;
/** How many places of an answer are tried; each costs a walk to its end. */
const mostStarts = 32;

/** The JSON objects of an answer, and what is wrong with the first that looks like one and is none. */
export interface FoundJson {
  /** Texts that `JSON.parse` reads, the longest first. */
  readonly objects: readonly string[];
  readonly problem?: string;
}

/**
 * Finds the JSON objects in an answer of a model. Models wrap them in prose and fences, leave commas before closing
 * brackets, and write line breaks into strings as they are; that much is mended. What needs guessing (single quotes,
 * missing brackets, bare words) is left alone: the model can be asked.
 *
 * @example
 * ```ts
 * findJson('Here it is:\n```json\n{"a": [1, 2,],}\n```').objects; // ['{"a": [1, 2]}']
 * ```
 */
export function findJson(answer: string): FoundJson {
  if (answer.length > longest) return { objects: [], problem: `it is longer than ${longest / 1024} KiB` };
  const objects: string[] = [];
  let problem: string | undefined;
  let at = answer.indexOf("{");
  for (let starts = 0; at !== -1 && starts < mostStarts; starts++) {
    const object = readObject(answer, at);
    const wrong = object === undefined ? "a bracket or a quote is never closed" : wrongWith(object.text);
    if (object !== undefined && wrong === undefined) objects.push(object.text);
    else problem ??= wrong;
    // What is inside a broken object is no answer either; what never ends may be prose before the answer.
    at = answer.indexOf("{", object?.end ?? at + 1);
  }
  return { objects: objects.toSorted((a, b) => b.length - a.length), ...(problem !== undefined && { problem }) };
}

/** The object that begins here, mended, and where it ends; undefined where it never ends. */
function readObject(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const end = objectEnd(text, start);
  return end === undefined ? undefined : { text: mend(text.slice(start, end)), end };
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

/** Without commas before closing brackets, and with line breaks in strings as escapes. */
function mend(object: string): string {
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

/** After the closing quote of the string that opens here, or after the text where it never closes. */
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

/** Line breaks and other controls, which JSON wants as escapes. */
function withoutControls(string: string): string {
  return string.replaceAll(controls, (unit) => names[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Sticky, so that it looks no further than the next character that counts. */
const closing = /\s*[}\]]/y;

function closesNext(text: string, from: number): boolean {
  closing.lastIndex = from;
  return closing.test(text);
}

/** Why this is no JSON. */
function wrongWith(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 160) : "it is no JSON";
  }
}
