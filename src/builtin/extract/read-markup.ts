import { present } from "./extract-html.ts";
import type { ExtractOptions, ExtractedPage, PageLink } from "./extracted-page.ts";
import { FeedReader, type FeedEntry } from "./feed-reader.ts";
import { markdownAddress } from "./inline-writer.ts";
import { listLimits, oneLine } from "./page-sink.ts";
import { parseInSlices } from "./parse-in-slices.ts";
import { plainPage } from "./plain-page.ts";
import type { ReadServices } from "./read-document.ts";
import { LinkResolver, baseOf } from "./resolve-link.ts";

/** XML: the entries of a feed as links with their descriptions, or the text of anything else. */
export async function readMarkup(
  text: string,
  options: ExtractOptions,
  services: ReadServices,
): Promise<ExtractedPage> {
  const reader = new FeedReader();
  await parseInSlices(text, reader, { xml: true, ...services });
  if (!reader.isFeed) return plainPage({ kind: "xml", text: lines(reader.body), cut: reader.cut }, options);
  const resolver = new LinkResolver(baseOf(undefined, options.url), undefined);
  const entries = reader.entries.map((entry) => ({ ...entry, link: resolver.link(entry.link) }));
  return plainPage(
    {
      kind: "feed",
      title: oneLine(reader.feed.title),
      ...present({ published: reader.feed.date, language: reader.feed.language }),
      excerpt: oneLine(reader.feed.summary),
      text: entries.map((entry) => show(entry, entry.title)).join("\n\n"),
      markdown: entries.map((entry) => show(entry, markdownTitle(entry))).join("\n\n"),
      links: listLinks(entries),
      cut: reader.cut,
    },
    options,
  );
}

/** Without the margins and the empty lines that only lay out the XML. */
function lines(text: string): string {
  const trimmed = text.split("\n").map((line) => line.trim());
  return trimmed.filter((line) => line !== "").join("\n");
}

type ShownEntry = Omit<FeedEntry, "link"> & { readonly link: string | undefined };

function show({ date, summary }: ShownEntry, title: string): string {
  return [title, date, summary].filter((part) => part !== "").join("\n");
}

function markdownTitle({ title, link }: ShownEntry): string {
  const name = title.replaceAll(/[[\]]/g, String.raw`\$&`);
  return `## ${link === undefined ? name : `[${name}](${markdownAddress(link)})`}`;
}

function listLinks(entries: readonly ShownEntry[]): PageLink[] {
  const links = new Map<string, PageLink>();
  for (const { title, link } of entries)
    if (link !== undefined && !links.has(link)) links.set(link, { text: title, url: link });
  return [...links.values()].slice(0, listLimits.links);
}
