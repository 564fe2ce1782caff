import { describe, expect, test } from "vitest";
import { z } from "zod";
import { worldOf } from "../../../test/support/candidates.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { builtinTools } from "../../builtin/index.ts";
import { createHttpClient } from "../../net/index.ts";

const path = { input: z.object({ path: z.string() }) };

describe("[C05] a capability without a contract", () => {
  const read = sampleTool(() => "read", { name: "read", capabilities: ["paper"], ...path });
  const view = sampleTool(() => "view", {
    name: "view",
    capabilities: ["paper"],
    input: z.object({ path: z.string(), depth: z.number().default(1) }),
  });
  const write = sampleTool(() => "written", {
    name: "write",
    capabilities: ["paper"],
    effect: "once",
    input: z.object({ path: z.string(), content: z.string() }),
  });
  const list = sampleTool(() => "list", { name: "list", capabilities: ["paper"], input: z.object({ in: z.string() }) });

  test("is served by interchangeable tools: a shared tag is not enough", async () => {
    const { hub, call } = worldOf([read, view, write, list]);
    expect(hub.capabilities()).toMatchObject([
      {
        name: "paper",
        tools: ["read", "view"],
        unfit: [
          "write: it may change something, and read only reads",
          "list: it needs other arguments than read; a contract can map them",
        ],
      },
    ]);
    expect(hub.resolve("capability:paper")?.tool).toMatchObject({ effect: "read", destructive: false });
    // Arguments that only a writing tool takes do not find it.
    expect(await call("capability:paper", { path: "a", content: "X" })).toMatchObject({ meta: { source: "tools" } });
    expect(await call("capability:paper", { in: "a" })).toMatchObject({ error: { code: "validation_error" } });
  });

  test("resolves directly to the best if no other is equivalent", () => {
    const { hub } = worldOf([read, write, list]);
    expect(hub.resolve("capability:paper")?.tool).toBe(read);
  });

  test("is the same by its English and by its Chinese name, whichever is declared", () => {
    const { hub } = worldOf([
      sampleTool(() => 1, { name: "a", capabilities: ["fetch"] }),
      sampleTool(() => 1, { name: "b", capabilities: ["抓取"] }),
    ]);
    expect(hub.capabilityNames()).toEqual(["fetch"]);
    expect(hub.resolve("capability:抓取")).toBe(hub.resolve("capability:fetch"));
  });
});

test("[C05] built-in tools that share a capability have no side effects", () => {
  const { hub } = worldOf(builtinTools({ http: createHttpClient({}) }));
  for (const { name, tools } of hub.capabilities().filter((info) => info.tools.length > 1)) {
    const effects = hub.withCapability(name).filter(({ tool }) => tools.includes(tool.name));
    for (const { tool } of effects)
      expect([name, tool.name, tool.effect]).toEqual([name, tool.name, expect.stringMatching(/^(pure|read)$/)]);
  }
});
