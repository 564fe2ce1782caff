import type { Clock } from "../../base/index.ts";
import type { PageLink } from "./extracted-page.ts";
import { type PageContent, PageSink, type PageSinkOptions } from "./page-sink.ts";
import { parseInSlices } from "./parse-in-slices.ts";
import type { LinkResolver } from "./resolve-link.ts";

const surroundings: ReadonlySet<string> = new Set(["nav", "footer", "aside"]);

/** The content of a whole page, read without building a document: the way for pages that are too large or too deep. */
export async function streamPage(
  html: string,
  sink: PageSinkOptions,
  options: { readonly signal?: AbortSignal | undefined; readonly clock?: Clock },
): Promise<PageContent> {
  const read = async (without: ReadonlySet<string>): Promise<PageContent> => {
    const into = new PageSink({ ...sink, without });
    await parseInSlices(html, into, options);
    return into.content();
  };
  const content = await read(surroundings);
  // A page that never closes its navigation is all navigation.
  return content.text === "" ? read(new Set()) : content;
}

/** The links of a whole page, its navigation included. */
export async function listPageLinks(
  html: string,
  links: LinkResolver,
  options: { readonly signal?: AbortSignal | undefined; readonly clock?: Clock },
): Promise<readonly PageLink[]> {
  const sink = new PageSink({ links, maxChars: 0 });
  await parseInSlices(html, sink, options);
  return sink.content().links;
}
