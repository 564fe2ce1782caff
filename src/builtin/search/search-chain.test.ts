import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loopbackOnly } from "../../../test/support/loopback-site.ts";
import { type ChainSpec, runChain } from "../../chain/index.ts";
import { createEngine } from "../../engine/index.ts";
import { createHttpClient } from "../../net/index.ts";
import { echoTool } from "../echo-tool.ts";
import { createPageReader, parallelFetchTool, webFetchTool } from "../web/index.ts";
import { createSearch, openProviders, webSearchTool } from "./index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

test("[A17] [D07] a chain searches a folder and reads the results, without a network", async () => {
  const folder = await mkdtemp(join(tmpdir(), "windlass-corpus-"));
  closing.push(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "tides.md"), "# Tides\n\nHigh water comes twice a day.");
  await writeFile(join(folder, "moon.md"), "# Moon\n\nThe moon makes the tides rise.");
  await writeFile(join(folder, "bread.md"), "# Bread\n\nFlour and water.");
  const http = createHttpClient(loopbackOnly);
  const { providers, corpus } = openProviders({ http, env: { WINDLASS_CORPUS: folder } });
  const pages = createPageReader({ http, resolvers: { corpus: corpus.resolve } });
  const search = createSearch({ providers });
  const engine = createEngine({
    tools: [webSearchTool({ search }), parallelFetchTool({ pages }), webFetchTool({ pages }), echoTool],
  });
  closing.push(
    () => http.close(),
    () => engine.close(),
  );
  const chain: ChainSpec = {
    name: "look-up",
    steps: [
      { id: "search", tool: "web_search", params: { query: "tides", count: 5 } },
      { id: "fetch_all", tool: "parallel_fetch", params: { urls: "${steps.search.output[*].url}" } },
      { id: "first", tool: "web_fetch", params: { url: "${steps.search.output[0].url}" } },
    ],
    output: {
      titles: "${steps.fetch_all.output[*].title}",
      found: "${steps.search.output.size}",
      first: "${steps.first.output.content}",
    },
  };
  const { output } = await runChain(chain, { engine });
  expect(output).toMatchObject({ found: 2, first: expect.stringMatching(/tides/i) });
  expect((output as { titles: string[] }).titles.toSorted()).toEqual(["Moon", "Tides"]);
});
