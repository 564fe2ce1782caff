import { isRecord } from "../../schema/index.ts";
import { findFrontMatter, parseYaml } from "../../text/index.ts";

/** Front matter of a note, between the `---` lines at its beginning, as far as a search needs it. */
export interface FrontMatter {
  readonly title: string | undefined;
  readonly tags: readonly string[];
  /** Values of `date` and `created`. */
  readonly dates: readonly string[];
  /** Length of the front matter in the text; 0 if there is none. */
  readonly length: number;
  readonly lines: number;
}

const none: FrontMatter = { title: undefined, tags: [], dates: [], length: 0, lines: 0 };
/** Longer front matter is treated as text. */
const maxLength = 32_768;
const maxDateLength = 100;

/** Reads the front matter of a note. Invalid YAML is ignored. */
export function readFrontMatter(text: string): FrontMatter {
  const head = text.slice(0, maxLength);
  const found = findFrontMatter(head, { dots: true });
  if (found.kind !== "found" || !beginsWithKey(found.yaml)) return none;
  const values = readPlain(found.yaml) ?? readYaml(found.yaml);
  return { ...factsOf(values), length: found.end, lines: head.slice(0, found.end).split("\n").length - 1 };
}

/** Two lines may also be drawn around a text. */
function beginsWithKey(inside: string): boolean {
  const line = inside.split("\n").find((one) => !/^\s*(?:#.*)?$/.test(one));
  return line === undefined || /^["']?[\p{L}_][^:]{0,100}:(?:\s|$)/u.test(line);
}

type Values = Readonly<Record<string, unknown>>;

function factsOf(values: Values): Pick<FrontMatter, "title" | "tags" | "dates"> {
  const title = values["title"];
  const named = typeof title === "string" || typeof title === "number" ? String(title).trim() : "";
  return {
    title: named === "" ? undefined : named,
    tags: [...tagsIn(values["tags"]), ...tagsIn(values["tag"])],
    dates: [values["date"], values["created"]].filter(isName).map((date) => String(date).slice(0, maxDateLength)),
  };
}

function tagsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => (isName(item) ? [String(item)] : []));
  if (!isName(value)) return [];
  const text = String(value);
  return text.split(text.includes(",") ? "," : /\s+/).filter((tag) => tag.trim() !== "");
}

function isName(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/**
 * Reads lines such as `title: Rope` and `tags: [a, b]` without a parser, which most front matter needs none of: of a
 * hundred thousand notes, parsing alone would take half a minute. Undefined for all that is not as plain as that.
 */
function readPlain(text: string): Values | undefined {
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let list: string[] | undefined;
  for (const line of text.split("\n")) {
    const plain = line.trimEnd();
    if (plain === "") continue;
    const item = /^\s*- ([\p{L}\p{N}_][\p{L}\p{N}_ /.-]*)$/u.exec(plain)?.[1];
    if (item !== undefined) {
      if (list === undefined) return undefined;
      list.push(item);
      continue;
    }
    const pair = /^([A-Za-z_][\w-]*):(?: (.+))?$/.exec(plain);
    const [, key = "", value] = pair ?? [];
    if (pair === null) return undefined;
    list = undefined;
    if (value === undefined) values[key] = list = [];
    else if (isPlainText(value)) values[key] = value.trim();
    else if (/^\[[\p{L}\p{N}_ ,/.-]*\]$/u.test(value)) values[key] = splitList(value);
    else return undefined;
  }
  return values;
}

/** Means the same with and without YAML. */
function isPlainText(value: string): boolean {
  return /^(?:[\p{L}\p{N}_][^:#"'\\]*|\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)$/u.test(value.trim());
}

function splitList(value: string): string[] {
  return value
    .slice(1, -1)
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function readYaml(text: string): Values {
  const { value } = parseYaml(text, { file: "front matter", maxBytes: 4 * maxLength });
  return isRecord(value) ? value : {};
}
