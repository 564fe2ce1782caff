import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "../../../test/support/fake-clock.ts";
import { FakeServer, definition, fakeWorkspace, mcpJson } from "../../../test/support/fake-mcp.ts";
import { writeFiles } from "../../../test/support/workspace.ts";
import { fail } from "../../base/index.ts";
import { ToolRegistry, defineTool } from "../../tool/index.ts";
import { createMcpSource } from "./mcp-source.ts";

const read = { annotations: { readOnlyHint: true } };

const world = (dir: string) => ({
  dir,
  registry: new ToolRegistry(),
  env: {},
  allowedEnv: [],
  secrets: { get: () => undefined },
  secretNames: [],
});

describe("[C04] servers are known without connecting", () => {
  test("a server that was never seen is connected when its tools are requested", async () => {
    const files = new FakeServer(definition("read_file", read));
    const { source, registry, engine } = await fakeWorkspace({ files });
    await source.load();
    expect(files.connects).toBe(0);
    expect(source.status()).toMatchObject([{ name: "files", state: "unknown", tools: [] }]);
    expect(registry.has("files/read_file")).toBe(false);
    await source.prepare("files/read_file");
    expect(files.connects).toBe(1);
    expect(await engine.call("files/read_file", { text: "a" })).toMatchObject({
      success: true,
      output: '{"text":"a"}',
    });
    expect(files.connects).toBe(1);
    await source.close();
    expect(files.open.size).toBe(0);
  });

  test("a known server is listed from its catalogue, and connected by the first call", async () => {
    const files = new FakeServer(definition("read_file", read));
    const first = await fakeWorkspace({ files });
    await first.source.load();
    await first.source.prepare();
    await first.source.close();
    const { source, registry, engine } = first.again();
    await source.load();
    expect(files.connects).toBe(1);
    expect(
      registry.list().map(({ tool, source: from, owner, priority }) => [tool.name, from, owner, priority]),
    ).toEqual([["files/read_file", "mcps", "files", 2]]);
    await source.prepare("files");
    expect(files.connects).toBe(1);
    expect((await engine.call("read_file", {})).success).toBe(true);
    expect(files.connects).toBe(2);
    await source.close();
  });

  test("a long-lived process connects in the background, and a failing server does not affect the others", async () => {
    const good = new FakeServer(definition("a"));
    const bad = new FakeServer();
    bad.refuses = fail("it does not start", { code: "not_available", reason: "start_failed", retry: "never" });
    const { source, registry, events, log } = await fakeWorkspace({ good, bad }, { connectUnknown: true });
    await source.load();
    await settle();
    expect(registry.has("good/a")).toBe(true);
    expect(source.fileOf("good/a")).toBe("mcp.json");
    expect(source.problems()).toMatchObject([
      {
        severity: "warning",
        code: "server_failed",
        file: "mcp.json",
        line: 1,
        message: expect.stringContaining("does not start"),
      },
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: "load_error", file: "mcp.json" }));
    expect(log.join("\n")).toContain("bad: it does not start");
    expect(source.status()[1]).toMatchObject({
      state: "down",
      lastFailure: { times: 1, message: "it does not start" },
    });
    await source.close();
  });

  test("persisted state is private and written atomically", async () => {
    const files = new FakeServer(definition("a"));
    const { source, dir } = await fakeWorkspace({ files });
    await source.load();
    await source.prepare();
    for (const kind of ["pins", "catalogue"]) {
      const folder = join(dir, ".windlass/mcp", kind);
      const names = readdirSync(folder);
      expect(names).toEqual([expect.stringMatching(/^files-[\da-f]{8}\.json$/)]);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(statSync(join(folder, names[0] ?? "")).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(join(folder, names[0] ?? ""), "utf8"))).toMatchObject({ server: "files" });
    }
    await source.close();
  });
});

describe("[C01] names", () => {
  test("tools are called server/tool; the short name resolves if it is free and never shadows another tool", async () => {
    const [one, two] = [
      new FakeServer(definition("send")),
      new FakeServer(definition("send"), definition("weird name/x")),
    ];
    const { source, registry } = await fakeWorkspace({ one, two });
    const local = defineTool({ name: "local", description: "d", aliases: [], run: () => 1 });
    registry.register(local);
    await source.load();
    await source.prepare();
    expect(registry.names()).toEqual(expect.arrayContaining(["one/send", "two/send", "two/weird_name_x"]));
    expect(registry.resolve("send")?.owner).toBe("one");
    registry.register(defineTool({ name: "send", description: "d", run: () => 1 }));
    expect(registry.resolve("send")?.source).toBe("tools");
    await source.close();
  });

  test("if two tools have one name after cleaning, the one that is written so keeps it", async () => {
    const server = new FakeServer(definition("a b"), definition("a_b", { description: "the real one" }));
    const { source, registry } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    expect(registry.get("server/a_b")?.description).toBe("the real one");
    expect(source.problems()).toMatchObject([{ code: "server_mistake", message: expect.stringContaining('"a b"') }]);
    await source.close();
  });

  test("a server may be called as its tools are tagged", async () => {
    const mcp = new FakeServer(definition("a"));
    const { source, registry } = await fakeWorkspace({ mcp });
    await source.load();
    await source.prepare();
    expect(registry.get("mcp/a")).toMatchObject({ tags: ["mcp"] });
    expect(registry.get("mcp/a")?.broken).toBeUndefined();
    await source.close();
  });

  test("a server cannot take the name of a meta tool, or one reserved for a broken tool of the workspace", async () => {
    const server = new FakeServer(
      ...["skill", "read_result", "mcp_resources", "greet"].map((name) => definition(name)),
    );
    const { source, registry } = await fakeWorkspace({ server });
    registry.replace([], { owner: "tools" }, ["greet"]);
    await source.load();
    await source.prepare();
    expect(registry.names().toSorted()).toEqual([
      "server/greet",
      "server/mcp_resources",
      "server/read_result",
      "server/skill",
    ]);
    registry.replace([], { owner: "tools" });
    expect(registry.resolve("greet")?.owner).toBe("server");
    await source.close();
  });

  test("tools can be excluded by name", async () => {
    const server = new FakeServer(definition("list_all"), definition("list_some"), definition("delete_all"));
    const files = mcpJson({ server: { tools: { allow: ["list_*", "delete_*"], deny: ["*_all"] } } });
    const { source, registry } = await fakeWorkspace({ server }, { files });
    await source.load();
    await source.prepare();
    expect(registry.names()).toEqual(["server/list_some", "list_some"]);
    await source.close();
  });
});

describe("the files are reloaded", () => {
  test("servers come, change and go; those that stay keep their connection", async () => {
    const [one, two] = [new FakeServer(definition("a", read)), new FakeServer(definition("b", read))];
    const { source, registry, dir } = await fakeWorkspace({ one, two }, { files: mcpJson({ one: {} }) });
    await source.load();
    await source.prepare();
    await writeFiles(dir, mcpJson({ one: {}, two: {} }));
    expect(await source.reload()).toMatchObject({ added: [], removed: [] });
    await source.prepare();
    expect(registry.names().toSorted()).toEqual(["a", "b", "one/a", "two/b"]);
    expect([one.connects, two.connects]).toEqual([1, 1]);
    await writeFiles(dir, mcpJson({ one: { disabled: true }, two: {} }));
    expect(await source.reload()).toMatchObject({ removed: ["one/a"] });
    expect(one.open.size).toBe(0);
    expect(two.open.size).toBe(1);
    expect(source.status().map(({ name, state }) => [name, state])).toEqual([
      ["two", "connected"],
      ["one", "disabled"],
    ]);
    await writeFiles(dir, { "mcp.json": "{}" });
    expect(await source.reload()).toMatchObject({ errors: 0, removed: ["two/b"] });
    await source.close();
  });

  test.each(["", "{", '{ "mcpServers": { "server": { "comm', "[]", '{ "mcpServers": 1 }'])(
    "a half-saved file, %j, removes no server, and is reported",
    async (half) => {
      const server = new FakeServer(definition("a", read));
      const { source, engine, dir, log, events } = await fakeWorkspace({ server });
      await source.load();
      await source.prepare();
      const whole = readFileSync(join(dir, "mcp.json"), "utf8");
      const gate = Promise.withResolvers<void>();
      server.handler = async () => {
        await gate.promise;
        return { isError: false, content: [{ type: "text", text: "done" }] };
      };
      const call = engine.call("server/a", {});
      await settle();
      await writeFiles(dir, { "mcp.json": half });
      expect(await source.reload()).toMatchObject({ errors: 1, removed: [] });
      expect(await source.reload()).toMatchObject({ errors: 1, removed: [] });
      expect(log.join("\n")).toContain("mcp.json cannot be read");
      expect(events).toContainEqual(expect.objectContaining({ type: "load_error", file: "mcp.json" }));
      expect(source.problems().map(({ code }) => code)).toContain("last_version_kept");
      expect(source.sourceOf("mcp.json")).toBe(half);
      gate.resolve();
      expect(await call).toMatchObject({ output: "done" });
      await writeFiles(dir, { "mcp.json": whole });
      expect(await source.reload()).toMatchObject({ errors: 0, removed: [], added: [], updated: [] });
      expect(server.connects).toBe(1);
      await source.close();
    },
  );

  test("a file that was never valid names no servers", async () => {
    const { source } = await fakeWorkspace({}, { files: { "mcp.json": "{" } });
    await source.load();
    expect(source.status()).toEqual([]);
    expect(source.problems()).toMatchObject([{ severity: "error", code: "json_syntax" }]);
    await source.close();
  });

  test.each([
    ["removed", {}],
    ["changed", { server: { timeout: 5 } }],
  ])("a server that is %s finishes its running calls and starts no new ones", async (_how, entries) => {
    const server = new FakeServer(definition("a", read));
    const { source, engine, dir, registry } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    const tool = registry.get("server/a");
    const gate = Promise.withResolvers<void>();
    server.handler = async () => {
      await gate.promise;
      return { isError: false, content: [{ type: "text", text: "done" }] };
    };
    const call = engine.call("server/a", {});
    await settle();
    await writeFiles(dir, mcpJson(entries));
    await source.reload();
    const late = tool === undefined ? undefined : await engine.call(tool, {}, { maxRetries: 0 });
    expect(late).toMatchObject({ error: { reason: "tool_gone" } });
    expect(server.open.size).toBe(1);
    gate.resolve();
    expect(await call).toMatchObject({ output: "done" });
    await settle();
    expect(server.open.size).toBe(0);
    await source.close();
  });

  test("closing does not wait for the calls of a server that was removed", async () => {
    const server = new FakeServer(definition("a", read));
    const { source, engine, dir } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    server.handler = () => new Promise(() => {});
    const call = engine.call("server/a", {}, { maxRetries: 0, timeoutMs: 500 });
    await settle();
    await writeFiles(dir, { "mcp.json": "{}" });
    await source.reload();
    const since = performance.now();
    await source.close();
    expect(server.open.size).toBe(0);
    await call;
    expect(performance.now() - since).toBeLessThan(3_000);
  });

  test("keys that are added to the files are registered as secrets before they can appear in output", async () => {
    const files = mcpJson({ server: { env: { API_KEY: "a-long-secret" } } });
    const reported: string[] = [];
    const { source, dir } = await fakeWorkspace(
      { server: new FakeServer() },
      { files, onSecrets: (values) => reported.push(...values) },
    );
    await source.load();
    expect(reported).toContain("a-long-secret");
    await writeFiles(dir, mcpJson({ server: { env: { API_KEY: "another-secret" } } }));
    await source.reload();
    expect(reported).toContain("another-secret");
    await source.close();
  });
});

test("closing waits until leftover processes are gone, within a bound", async () => {
  const { source, dir } = await fakeWorkspace({}, { files: { "mcp.json": "{}" } });
  await writeFiles(dir, { ".windlass/mcp/children/1.json": "{}" });
  const gate = Promise.withResolvers<void>();
  let reaped = 0;
  const reap = async (): Promise<void> => {
    await gate.promise;
    reaped++;
  };
  const connector = () => Promise.resolve({ reap, connect: () => Promise.reject(new Error("never")) });
  const slow = createMcpSource({ ...world(dir), connector });
  await slow.load();
  const closing = slow.close();
  setTimeout(gate.resolve, 20);
  await closing;
  expect(reaped).toBe(1);
  const stuck = createMcpSource({ ...world(dir), connector: () => new Promise(() => {}), limits: { closeMs: 30 } });
  await stuck.load();
  await stuck.close();
  await source.close();
});

test("the number of tools of a connection is logged once, and again if it changes", async () => {
  const clock = new FakeClock();
  const server = new FakeServer(definition("a", read));
  const { source, log } = await fakeWorkspace({ server }, { clock });
  await source.load();
  await source.prepare();
  for (let times = 0; times < 3; times++) {
    server.change(definition("a", read));
    await clock.pass(2_000);
  }
  server.change(definition("a", read), definition("b", read));
  await clock.pass(2_000);
  expect(log).toEqual(["server: connected (protocol 2025-11-25), 1 tool", "server: offers 2 tools now"]);
  await source.close();
});
