import type { PageLink } from "./extracted-page.ts";
import { type PageContent, PageSink, type PageSinkOptions } from "./page-sink.ts";
import { parseInSlices } from "./parse-in-slices.ts";
import type { ReadServices } from "./read-document.ts";

const surroundings: ReadonlySet<string> = new Set(["nav", "footer", "aside"]);

/** The content of a whole page, read without building a document: the way for pages that are too large or too deep. */
export async function streamPage(html: string, sink: PageSinkOptions, services: ReadServices): Promise<PageContent> {
  const read = async (without: ReadonlySet<string>): Promise<PageContent> => {
    const into = new PageSink({ ...sink, without });
    await parseInSlices(html, into, services);
    return into.content();
  };
  const content = await read(surroundings);
  // A page that never closes its navigation is all navigation.
  return content.text === "" ? read(new Set()) : content;
}

/** The links of a whole page, its navigation included. */
export async function listPageLinks(
  html: string,
  options: PageSinkOptions,
  services: ReadServices,
): Promise<readonly PageLink[]> {
  const sink = new PageSink(options);
  await parseInSlices(html, sink, services);
  return sink.content().links;
}
