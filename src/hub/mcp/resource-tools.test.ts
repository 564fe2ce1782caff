import { describe, expect, test } from "vitest";
import { settle } from "../../../test/support/fake-clock.ts";
import { FakeServer, definition, fakeWorkspace } from "../../../test/support/fake-mcp.ts";
import { createEngine } from "../../engine/index.ts";

describe("resources", () => {
  test("are listed and read by two tools, which exist if a server has any", async () => {
    const [docs, other] = [new FakeServer(), new FakeServer(definition("a"))];
    docs.resources = [{ uri: "doc://1", name: "One\u202e", mimeType: "text/plain" }];
    const { source, registry, engine } = await fakeWorkspace({ docs, other });
    await source.load();
    expect(registry.has("mcp_resources")).toBe(false);
    await source.prepare();
    await settle();
    expect(registry.resolve("mcp_resources")).toMatchObject({ source: "mcps", tool: { effect: "read" } });
    expect(await engine.call("mcp_resources", {})).toMatchObject({
      output: { resources: [{ server: "docs", uri: "doc://1", name: "One", mime_type: "text/plain" }] },
    });
    expect(await engine.call("mcp_read_resource", { server: "docs", uri: "doc://1" })).toMatchObject({
      output: { contents: [{ uri: "doc://1", text: "content of doc://1" }] },
    });
    expect(await engine.call("mcp_read_resource", { server: "dosc", uri: "doc://1" })).toMatchObject({
      error: { code: "validation_error", message: expect.stringContaining("did you mean docs?") },
    });
    await source.close();
  });

  test("rules about a server are about its resources too, and the others are listed without it", async () => {
    const [mal, docs] = [new FakeServer(), new FakeServer()];
    for (const server of [mal, docs]) server.resources = [{ uri: "doc://1", name: "One" }];
    const { source, registry } = await fakeWorkspace({ mal, docs });
    await source.load();
    await source.prepare();
    await settle();
    const [malLists, malConnects] = [mal.lists, mal.connects];
    const engine = createEngine({ registry, permissions: { deny: ["mal/*"] } });
    const denied = { error: { code: "permission_denied" } };
    expect(await engine.call("mcp_read_resource", { server: "mal", uri: "doc://1" })).toMatchObject(denied);
    expect(await engine.call("mcp_resources", { server: "mal" })).toMatchObject(denied);
    expect(await engine.call("mcp_resources", {})).toMatchObject({
      output: { resources: [{ server: "docs" }], failed: [{ server: "mal", why: expect.stringContaining("mal/*") }] },
    });
    expect([mal.lists, mal.connects]).toEqual([malLists, malConnects]);
    const own = createEngine({ registry, permissions: { deny: ["mcp_read_resource"] } });
    expect(await own.call("mcp_read_resource", { server: "docs", uri: "doc://1" })).toMatchObject(denied);
    const ofServers = createEngine({ registry, permissions: { allow: ["source:mcps"] } });
    expect(await ofServers.call("mcp_read_resource", { server: "docs", uri: "doc://1" })).toMatchObject({
      success: true,
    });
    await source.close();
  });

  test("a listed resource is read without approval, and any other address needs one", async () => {
    const server = new FakeServer();
    server.resources = [{ uri: "doc://1", name: "One" }];
    const first = await fakeWorkspace({ server });
    await first.source.load();
    await first.source.prepare();
    await settle();
    await first.source.close();
    const { source, registry } = first.again();
    await source.load();
    const requested: unknown[] = [];
    const engine = createEngine({
      registry,
      approver: {
        requestApproval: async ({ tool, args }) => {
          requested.push([tool, args]);
          return { kind: "rejected" };
        },
      },
    });
    const byModel = { callerType: "conversation_agent" } as const;
    expect(await engine.call("mcp_read_resource", { server: "server", uri: "doc://1" }, byModel)).toMatchObject({
      success: true,
    });
    expect(await engine.call("mcp_read_resource", { server: "server", uri: "x://?secret" }, byModel)).toMatchObject({
      success: false,
    });
    expect(requested).toEqual([["server/mcp_read_resource", { uri: "x://?secret" }]]);
    await source.close();
  });

  test("the content of resources has no effect on a terminal", async () => {
    const server = new FakeServer();
    server.resources = [
      { uri: "doc://1", name: "a\u001b[2Jb", description: "c\u202ed", mimeType: "text/\u0007plain" },
      { uri: "doc://\u001b[2J", name: "hidden" },
    ];
    const { source, engine } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    await settle();
    expect(await engine.call("mcp_resources", {})).toMatchObject({
      output: {
        resources: [{ server: "server", uri: "doc://1", name: "ab", description: "cd", mime_type: "text/plain" }],
      },
    });
    await source.close();
  });
});
