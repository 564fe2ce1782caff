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
