import { mergeTags } from "../../store/index.ts";
import { CodeFences, findFrontMatter, parseYaml } from "../../text/index.ts";
import { isRecord } from "../../schema/index.ts";

/** A heading of a note. */
export interface Heading {
  readonly text: string;
  readonly level: number;
  /** Counted from 1. */
  readonly line: number;
}

/** Parsed parts of a note. */
export interface ParsedNote {
  readonly title: string;
  /** From its front matter and from `#tag` in its text. */
  readonly tags: readonly string[];
  readonly headings: readonly Heading[];
  /** Link targets: the names in `[[…]]`, and addresses and paths of links. */
  readonly links: readonly string[];
  /** Dates in its front matter. */
  readonly dates: readonly string[];
}

/** Maximum number of headings stored per note. */
export const maxNoteHeadings = 500;
const maxTags = 100;
const maxLinks = 500;
const maxTitleLength = 200;

/** Reads a note: markdown, or plain text, of which it reads the same. */
export function parseNote(path: string, text: string): ParsedNote {
  const front = readFrontMatter(text);
  const headings: Heading[] = [];
  const tags = new Set<string>();
  const links = new Set<string>();
  const fences = new CodeFences();
  let line = front.lines;
  for (const content of text.slice(front.length).split("\n")) {
    line++;
    if (fences.isCode(content)) continue;
    if (content.includes("#")) {
      collectHeading(content, line, headings);
      collectTags(content, tags);
    }
    if (content.includes("[")) collectLinks(content, links);
  }
  const first = headings.find(({ level }) => level === 1)?.text;
  return {
    title: (front.title ?? first ?? noteNameOf(path)).slice(0, maxTitleLength),
    tags: mergeTags(front.tags, [...tags]).slice(0, maxTags),
    headings,
    links: [...links].slice(0, maxLinks),
    dates: front.dates,
  };
}

/** The marker of the code fence that is still open after these lines; undefined if none is. */
export function unclosedFence(lines: readonly string[]): string | undefined {
  const fences = new CodeFences();
  for (const line of lines) fences.isCode(line);
  return fences.open;
}

function collectHeading(content: string, line: number, headings: Heading[]): void {
  const heading = headingOf(content, line);
  if (heading !== undefined && headings.length < maxNoteHeadings) headings.push(heading);
}

function headingOf(content: string, line: number): Heading | undefined {
  const hashes = /^ {0,3}(#{1,6})[ \t]/.exec(content);
  if (hashes === null) return undefined;
  const text = content.slice(hashes[0].length, hashes[0].length + 1000).trim();
  const shown = text.replace(/[ \t]#+$/, "").trim();
  return shown === "" ? undefined : { text: shown.slice(0, maxTitleLength), level: hashes[1]?.length ?? 1, line };
}

const tagPattern = /(?:^|[\s(（，。、,;；:：])#([\p{L}\p{N}_][\p{L}\p{N}_/-]{0,99})/gu;

function collectTags(content: string, tags: Set<string>): void {
  if (tags.size >= maxTags) return;
  for (const [, tag = ""] of content.matchAll(tagPattern)) {
    // `#12` is the number of something.
    if (!/^\p{N}+$/u.test(tag)) tags.add(tag.replace(/\/+$/, ""));
    if (tags.size >= maxTags) return;
  }
}

/** No link is longer. Looking no further for its end keeps a line of nothing but brackets from taking forever. */
const maxLinkLength = 1000;

function collectLinks(content: string, links: Set<string>): void {
  if (links.size >= maxLinks) return;
  let looked = 0;
  for (let at = content.indexOf("[["); at !== -1 && looked < 10_000; at = content.indexOf("[[", at + 1), looked++) {
    const name = wikiName(content.slice(at + 2, at + 2 + maxLinkLength));
    if (name !== undefined) links.add(name);
  }
  for (let at = content.indexOf("]("); at !== -1 && links.size < maxLinks; at = content.indexOf("](", at + 2)) {
    const target = /^<?([^)>\s]+)/.exec(content.slice(at + 2, at + 2 + maxLinkLength))?.[1];
    if (target !== undefined) links.add(target);
  }
}

/** The part of `name#heading|shown]]` before the bar. */
function wikiName(inside: string): string | undefined {
  const end = inside.indexOf("]]");
  const name = end === -1 ? "" : inside.slice(0, end).split("|", 1).join("").trim();
  return name === "" || name.includes("[") ? undefined : name;
}

function noteNameOf(path: string): string {
  const name = path.split("/").at(-1) ?? path;
  return name.replace(/\.[^.]+$/, "") || name;
}

/** Front matter of a note, between the `---` lines at its beginning, as far as a search needs it. */
interface FrontMatter {
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
function readFrontMatter(text: string): FrontMatter {
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
