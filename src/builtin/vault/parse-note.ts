import { mergeTags } from "../../store/index.ts";
import { CodeFences } from "../../text/index.ts";
import { readFrontMatter } from "./front-matter.ts";

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
