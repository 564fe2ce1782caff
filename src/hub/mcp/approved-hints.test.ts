import { expect, test } from "vitest";
import { FakeServer, definition, fakeWorkspace, mcpJson } from "../../../test/support/fake-mcp.ts";
import { writeFiles } from "../../../test/support/workspace.ts";

const read = { annotations: { readOnlyHint: true } };

function facts(registry: Awaited<ReturnType<typeof fakeWorkspace>>["registry"]): unknown[] {
  return registry.list().map(({ tool }) => [tool.name, tool.effect, tool.destructive]);
}

const asClaimed = [
  ["server/adds", "once", false],
  ["server/puts", "idempotent", true],
  ["server/reads", "read", false],
];

const worst = [
  ["server/adds", "once", true],
  ["server/puts", "once", true],
  ["server/reads", "once", true],
];

function claims(): FakeServer {
  return new FakeServer(
    definition("reads", read),
    definition("puts", { annotations: { idempotentHint: true } }),
    definition("adds", { annotations: { destructiveHint: false } }),
  );
}

test("[S11] the hints of a server count after its approval, also in later processes", async () => {
  const world = await fakeWorkspace({ server: claims() });
  const { source, registry } = world;
  await source.load();
  await source.prepare();
  expect(facts(registry)).toEqual(worst);
  expect(source.status()).toMatchObject([{ hint: expect.stringContaining("windlass mcp approve server") }]);
  const review = source.review("server");
  expect(review.tools.map(({ name, isNew }) => [name, isNew])).toEqual([
    ["server/reads", true],
    ["server/puts", true],
    ["server/adds", true],
  ]);
  source.approve(review);
  expect(facts(registry)).toEqual(asClaimed);
  expect(source.status()[0]?.hint).toBeUndefined();
  expect(source.review("server").tools).toEqual([]);
  await source.close();
  const later = world.again();
  await later.source.load();
  expect(facts(later.registry)).toEqual(asClaimed);
  await later.source.close();
});

test("[S11] until then a model's call of a tool that claims to read needs approval", async () => {
  const { source, engine } = await fakeWorkspace({ server: new FakeServer(definition("reads", read)) });
  await source.load();
  await source.prepare();
  const call = () => engine.call("server/reads", {}, { callerType: "conversation_agent" });
  expect(await call()).toMatchObject({ success: false });
  source.approve(source.review("server"));
  expect(await call()).toMatchObject({ success: true });
  await source.close();
});

test("[S11] approving one tool approves its hints only", async () => {
  const { source, registry } = await fakeWorkspace({ server: claims() });
  await source.load();
  await source.prepare();
  source.approve(source.review("server/reads"));
  expect(facts(registry)).toEqual([...worst.slice(0, 2), asClaimed[2]]);
  await source.close();
});

test('[S11] with "trust": "all", hints that changed since the approval do not count', async () => {
  const server = new FakeServer(definition("reads"), definition("looks", read));
  const files = mcpJson({ server: { trust: "all" } });
  const world = await fakeWorkspace({ server }, { files });
  const { source, registry } = world;
  await source.load();
  await source.prepare();
  source.approve(source.review("server"));
  server.definitions = [definition("reads", read), definition("looks", read)];
  await source.refresh("server");
  expect(facts(registry)).toEqual([
    ["server/looks", "read", false],
    ["server/reads", "once", true],
  ]);
  await source.close();
});

test("[S11] effects that the workspace states need no approval of the server", async () => {
  const server = new FakeServer(definition("reads"));
  const { source, registry } = await fakeWorkspace(
    { server },
    { files: mcpJson({ server: { effects: { reads: "read" } } }) },
  );
  await source.load();
  await source.prepare();
  expect(facts(registry)).toEqual([["server/reads", "read", false]]);
  await source.close();
});

test("[S22] an approved server whose own script has changed is not started until it is approved again", async () => {
  const server = new FakeServer(definition("reads", read));
  const files = {
    ...mcpJson({ server: { command: "node", args: ["server.mjs", "--db", "data.db"] } }),
    "server.mjs": "1",
  };
  const world = await fakeWorkspace({ server }, { files });
  await world.source.load();
  await world.source.prepare();
  await writeFiles(world.dir, { "server.mjs": "2" });
  await world.source.close();
  const unapproved = world.again();
  await unapproved.source.load();
  expect(unapproved.source.status()).toMatchObject([{ state: "known" }]);
  unapproved.source.approve(unapproved.source.review("server"));
  await unapproved.source.close();
  await writeFiles(world.dir, { "data.db": "changed" });
  const same = world.again();
  await same.source.load();
  expect(same.source.status()).toMatchObject([{ state: "known" }]);
  await same.source.close();
  await writeFiles(world.dir, { "server.mjs": "3" });
  const { source, engine } = world.again();
  await source.load();
  const connects = server.connects;
  expect(source.status()).toMatchObject([{ state: "changed", hint: expect.stringContaining("mcp approve server") }]);
  expect(await engine.call("server/reads", {})).toMatchObject({ error: { reason: "server_changed" } });
  expect(server.connects).toBe(connects);
  const review = source.review("server");
  expect(review.address?.parts).toContainEqual(expect.objectContaining({ part: "script", isChanged: true }));
  source.approve(review);
  expect(await engine.call("server/reads", {})).toMatchObject({ success: true });
  await source.close();
});
