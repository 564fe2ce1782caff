import { expect, test } from "vitest";
import { agentWorld } from "../../../test/support/agent-fixture.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { builtinTools } from "../../builtin/index.ts";
import { createEngine } from "../../engine/index.ts";
import { createHttpClient } from "../../net/index.ts";
import { ToolRegistry } from "../../tool/index.ts";
import { Hub } from "./hub.ts";

const results = (url: string) => ({ results: [{ title: url, url, snippet: url }] });

test("[H2] a declared server takes part in a search, and tools that cannot work here take no slot", async () => {
  const { engine: world } = await agentWorld({ files: { "note.md": "# Tide mills\n\nA note." } });
  const registry = new ToolRegistry();
  const builtins = builtinTools({ http: createHttpClient() }).filter(({ name }) => name !== "local_search");
  for (const tool of builtins) registry.register(tool, { owner: "builtin" });
  // The notes of a world with a folder.
  registry.register(world.tools.get("local_search")!, { owner: "builtin" });
  for (const server of ["one", "two"]) {
    const tool = sampleTool(() => results(`https://example.com/${server}`), { name: `${server}/find`, effect: "read" });
    registry.register(tool, { source: "mcps", owner: server, priority: 2 });
  }
  const hub = new Hub({ registry, declared: { "mcp:one": ["search"], "mcp:two": ["search"] } });
  const engine = createEngine({ registry, resolver: hub });
  const found = await engine.call("capability:search", { query: "tide mills" });
  expect(found).toMatchObject({ success: true });
  const { sources } = found.meta as { readonly sources?: readonly string[] };
  expect(sources).toEqual(expect.arrayContaining(["one/find", "two/find"]));
  expect(hub.withCapability("search").map(({ tool }) => tool.name)).toEqual([
    "web_search",
    "one/find",
    "two/find",
    "memory_recall",
    "local_search",
  ]);
  expect(JSON.stringify(found)).not.toContain("web_search");
});
