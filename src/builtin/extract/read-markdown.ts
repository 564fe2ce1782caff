import type { ExtractOptions, ExtractedPage, PageHeading, PageLink } from "./extracted-page.ts";
import { listLimits, oneLine } from "./page-sink.ts";
import { plainPage } from "./plain-page.ts";
import { LinkResolver, baseOf } from "./resolve-link.ts";

const maxInput = 2_000_000;

/** Markdown as it is, with its title, headings and links. */
export function readMarkdown(text: string, options: ExtractOptions): ExtractedPage {
  const body = text.slice(0, maxInput).replaceAll(/\r\n?/g, "\n");
  const front = /^---\n([^]{0,20000}?)\n---(?:\n|$)/.exec(body)?.[1] ?? "";
  const lines = proseLines(body);
  const headings = lines.flatMap((line) => headingOf(line) ?? []).slice(0, listLimits.headings);
  const title =
    /^title:\s*["']?(.{1,300}?)["']?\s*$/m.exec(front)?.[1] ?? headings.find(({ level }) => level === 1)?.text;
  return plainPage(
    {
      kind: "markdown",
      text: body,
      headings,
      links: linksOf(lines, options.url),
      cut: text.length > maxInput,
      title: oneLine(title ?? headings[0]?.text ?? ""),
    },
    options,
  );
}

/** The lines outside of fenced code. */
function proseLines(body: string): string[] {
  let fence: string | undefined;
  return body
    .slice(0, 1_000_000)
    .split("\n")
    .filter((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence === undefined) fence = mark;
      else if (mark?.startsWith(fence) === true) fence = undefined;
      return fence === undefined && mark === undefined;
    });
}

function headingOf(line: string): PageHeading | undefined {
  const found = /^ {0,3}(#{1,6})\s+(.{1,300})/.exec(line);
  const text = found?.[2]?.replace(/\s+#+\s*$/, "").trim();
  return found?.[1] === undefined || text === undefined || text === ""
    ? undefined
    : { level: found[1].length, text: oneLine(text) };
}

/** Links in parentheses, and bare ones between angle brackets. Images are not links. */
const linkPattern =
  /(?<!!)\[([^\][]{1,300})\]\(\s*<?([^\s()<>]{1,2000})(?:>|\s[^()]{0,300})?\)|<(https?:\/\/[^\s<>]{1,2000})>/g;

function linksOf(lines: readonly string[], url: string | undefined): PageLink[] {
  const resolver = new LinkResolver(baseOf(undefined, url), url);
  const links = new Map<string, PageLink>();
  for (const line of lines) {
    for (const [, text, target, bare] of line.slice(0, 10_000).matchAll(linkPattern)) {
      const found = resolver.link(target ?? bare);
      if (found !== undefined && !links.has(found)) links.set(found, { text: oneLine(text ?? bare ?? ""), url: found });
      if (links.size >= listLimits.links) return [...links.values()];
    }
  }
  return [...links.values()];
}
