import { afterEach, describe, expect, test } from "vitest";
import { type SiteHandler, loopbackSite } from "../../../test/support/loopback-site.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import { createHttpClient } from "../../net/index.ts";
import { closeExtraction } from "../extract/index.ts";
import { crawlBatchTool, createPageReader, fetchPageTool, parallelFetchTool, webFetchTool } from "./index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await closeExtraction();
});

const app = '<title>My App</title><body><div id=root></div><noscript>Enable it</noscript><a href="/about"></a></body>';

const site: SiteHandler = ({ url }, response) => {
  if (url === "/robots.txt") response.writeHead(404).end();
  else if (url === "/nothing") response.writeHead(204).end();
  else if (url === "/blank") response.writeHead(200, { "content-type": "text/plain" }).end(" \n\t\n");
  else if (url === "/good")
    response.writeHead(200, { "content-type": "text/plain" }).end("The tide comes twice a day.");
  else response.writeHead(200, { "content-type": "text/html" }).end(app);
};

async function open(): Promise<{ engine: Engine; at: (path: string) => string }> {
  const { origin, port, close } = await loopbackSite(site);
  const http = createHttpClient({ allow: [`127.0.0.1:${port}`] });
  const pages = createPageReader({ http });
  const services = { pages };
  const tools = [fetchPageTool, webFetchTool, crawlBatchTool, parallelFetchTool].map((make) => make(services));
  const engine = createEngine({ tools });
  closing.push(
    close,
    () => http.close(),
    () => engine.close(),
  );
  return { engine, at: (path) => origin + path };
}

describe("a page without text", () => {
  test.each(["web_fetch", "fetch_page"])("is a failure of %s with the reason", async (tool) => {
    const { engine, at } = await open();
    for (const path of ["/app", "/blank"]) {
      expect(await engine.call(tool, { url: at(path) })).toMatchObject({
        success: false,
        error: {
          code: "execution_error",
          reason: "no_text",
          retry: "never",
          message: expect.stringContaining("no text"),
        },
      });
    }
  });

  test("is an error in a batch beside the pages that have text", async () => {
    const { engine, at } = await open();
    const urls = [at("/app"), at("/good")];
    expect(await engine.call("parallel_fetch", { urls })).toMatchObject({
      output: [{ url: urls[0], error: { reason: "no_text" } }, { content: "The tide comes twice a day." }],
    });
    expect(await engine.call("crawl_batch", { urls })).toMatchObject({
      output: { fetched: 1, errors: [{ url: urls[0], reason: "no_text" }] },
    });
  });

  test("still returns its links and its title on request", async () => {
    const { engine, at } = await open();
    for (const extract_type of ["links", "structured"]) {
      expect(await engine.call("fetch_page", { url: at("/app"), extract_type })).toMatchObject({
        output: { title: "My App" },
      });
    }
  });

  test("is not reported if the server sends an empty body: that is an empty page", async () => {
    const { engine, at } = await open();
    expect(await engine.call("web_fetch", { url: at("/nothing") })).toMatchObject({ output: { content: "" } });
  });
});
