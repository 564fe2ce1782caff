/** One problem of a value, at one location in it. */
export interface Issue {
  /** Path in the value: `["items", 0, "url"]`. Empty for the value as a whole. */
  readonly path: readonly (string | number)[];
  /** The broken rule: `type`, `required`, `unknown`, `pattern`, `enum`, `min`, … */
  readonly code: string;
  /** Readable by a person and by a model: `limit must be at most 100, got 200`. */
  readonly message: string;
  /** A likely correction, such as the name of a misspelled parameter. */
  readonly suggestion?: string;
}

/** A path formatted for people: `items[0].url`. */
export function formatPath(path: readonly (string | number)[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (isName(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}

/** Nearly all names are ASCII, and the classes for letters of all scripts are slow to build. */
function isName(part: string): boolean {
  return /^[A-Za-z_][\w-]*$/.test(part) || /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(part);
}
