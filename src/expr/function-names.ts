/** Every function of the language, with its number of arguments. The list is closed. */
export const functionArities = {
  size: { min: 1, max: 1 },
  has: { min: 1, max: 1 },
  default: { min: 2, max: 2 },
  type: { min: 1, max: 1 },
  str: { min: 1, max: 1 },
  num: { min: 1, max: 1 },
  json: { min: 1, max: 1 },
  parse_json: { min: 1, max: 1 },
  join: { min: 1, max: 2 },
  split: { min: 2, max: 2 },
  lower: { min: 1, max: 1 },
  upper: { min: 1, max: 1 },
  trim: { min: 1, max: 1 },
  contains: { min: 2, max: 2 },
  starts_with: { min: 2, max: 2 },
  ends_with: { min: 2, max: 2 },
  keys: { min: 1, max: 1 },
  values: { min: 1, max: 1 },
  first: { min: 1, max: 1 },
  last: { min: 1, max: 1 },
  unique: { min: 1, max: 1 },
  flatten: { min: 1, max: 1 },
  sum: { min: 1, max: 1 },
  min: { min: 1, max: 16 },
  max: { min: 1, max: 16 },
  round: { min: 1, max: 2 },
  floor: { min: 1, max: 1 },
  abs: { min: 1, max: 1 },
} as const;

functionArities satisfies Record<string, { readonly min: number; readonly max: number }>;

/** The name of a function. */
export type FunctionName = keyof typeof functionArities;

/** True if this is a function of the language. */
export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functionArities, name);
}

/** Functions and methods of other languages, and their equivalents here; `x` is the subject. */
const forms: Readonly<Record<string, string>> = {
  "upper(x)": "toUpperCase toLocaleUpperCase uppercase upcase",
  "lower(x)": "toLowerCase toLocaleLowerCase lowercase downcase",
  "trim(x)": "strip trimStart trimEnd",
  "size(x)": "length len count strlen",
  "contains(x, …)": "includes indexOf include",
  "starts_with(x, …)": "startsWith startswith",
  "ends_with(x, …)": "endsWith endswith",
  "str(x)": "toString string String text",
  "num(x)": "toNumber number Number int integer float parseInt parseFloat",
  "json(x)": "toJSON to_json tojson stringify dumps",
  "parse_json(x)": "parse loads fromJSON from_json",
  "flatten(x)": "flat",
  "unique(x)": "uniq distinct",
  "default(x, …)": "get_or_default orElse coalesce",
  "has(x)": "exists defined isDefined",
  "type(x)": "typeof",
  "x[*].name": "map pluck",
  "x[?@.score > 3]": "filter select where find",
  "x[0:3]": "slice substring substr",
  'x["key"]': "get at",
};

const known: ReadonlyMap<string, string> = new Map(
  Object.entries(forms).flatMap(([form, words]) => words.split(" ").map((word) => [word, form])),
);

/** The equivalent of another language's function `name`, with `x` as its subject; undefined if unknown. */
export function suggestFunction(name: string, subject: string): string | undefined {
  return known.get(name)?.replace(/\bx\b/, () => subject);
}
