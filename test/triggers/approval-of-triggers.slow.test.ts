import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorkspace } from "../../src/app/index.ts";
import { grantTrust, readSettings, reviewTrust } from "../../src/app/index.ts";
import {
  type TriggerServer,
  WallClock,
  baseFiles,
  endedRuns,
  noteChain,
  notes,
  put,
  rounds,
  sendHook,
  serveTriggersIn,
  token,
  triggerFolder,
} from "./trigger-servers.ts";

const start = "2026-06-01T07:59:00Z";
const daily = '  - { id: planted, schedule: "0 8 * * *", timezone: UTC, input: { text: planted } }';
const editable = { "windlass.yaml": `${baseFiles["windlass.yaml"]}files: { editable: [chains] }\n` };

/** Writes a chain as a model would. */
async function writeByTool(
  { workspace }: Pick<TriggerServer, "workspace">,
  path: string,
  content: string,
): Promise<void> {
  const written = await workspace.engine.call("write_file", { path, content, create_parents: true });
  expect(written).toMatchObject({ success: true });
  await workspace.chainFolder.reload();
}

test("a trigger that a tool planted does not fire before it is approved, also after a restart [P09]", async () => {
  const dir = await triggerFolder(editable);
  const first = await serveTriggersIn(dir, new WallClock(start));
  const hook = '  - { id: hook, webhook: hook, verify: standard, secret: "${secret.HOOK}" }';
  const file = '  - { id: files, file: "inbox/*" }';
  await writeByTool(first, "chains/evil.yaml", noteChain("evil", [daily, hook, file].join("\n")));
  await rounds(first);
  first.clock.set("2026-06-01T08:00:30Z");
  await put(dir, "inbox/a", "1");
  await rounds(first);
  expect(await sendHook(first, "hook")).toMatchObject({ status: 503 });
  await expect(first.workspace.triggers.fire("planted")).rejects.toMatchObject({ reason: "inactive_trigger" });
  await first.close();

  const second = await serveTriggersIn(dir, new WallClock("2026-06-02T08:00:30Z"));
  const { triggers, runs } = second.workspace;
  await rounds(second);
  expect(await runs.list()).toEqual([]);
  expect((await triggers.list()).map(({ id, status }) => [id, status])).toEqual([
    ["planted", "unapproved"],
    ["hook", "unapproved"],
    ["files", "unapproved"],
  ]);
  expect((await triggers.list())[0]?.message).toContain("triggers approve planted");

  // The approval is for this trigger, from now on.
  await triggers.approve("planted");
  await rounds(second);
  expect(await runs.list()).toEqual([]);
  second.clock.set("2026-06-03T08:00:00Z");
  await endedRuns(second, 1);
  expect(await notes(dir)).toEqual(["planted"]);

  // Another write by a tool needs another approval, also if the trigger is the same.
  await writeByTool(second, "chains/evil.yaml", `${noteChain("evil", daily)}# more\n`);
  second.clock.set("2026-06-04T08:00:00Z");
  await rounds(second);
  expect(await triggers.list()).toMatchObject([{ id: "planted", status: "unapproved" }]);
  await triggers.approve("planted");
  // A person changes the schedule in a file that a tool wrote.
  await put(dir, "chains/evil.yaml", noteChain("evil", daily.replace("0 8", "0 9")));
  await second.workspace.chainFolder.reload();
  expect(await triggers.list()).toMatchObject([{ status: "unapproved" }]);
  await endedRuns(second, 1);
});

test("a trigger of a person needs an approval once a tool edits its file; a tool cannot edit the settings [P09]", async () => {
  const dir = await triggerFolder({ ...editable, "chains/report.yaml": noteChain("report", daily) });
  const server = await serveTriggersIn(dir, new WallClock(start));
  const { triggers, engine, chainFolder } = server.workspace;
  expect(await triggers.list()).toMatchObject([{ status: "active" }]);
  const edit = { path: "chains/report.yaml", edits: [{ old_text: "planted", new_text: "other" }] };
  const text = await readFile(join(dir, "chains/report.yaml"), "utf8");
  const edited = await engine.call("edit_file", edit);
  if (!edited.success) await writeByTool(server, "chains/report.yaml", text.replace("text: planted", "text: other"));
  await chainFolder.reload();
  expect(await triggers.list()).toMatchObject([{ status: "unapproved" }]);
  const settings = await engine.call("write_file", { path: "windlass.yaml", content: "triggers: {}\n" });
  expect(settings.success).toBe(false);
});

test("triggers of a cloned workspace do not fire before it is trusted [P09]", async () => {
  const dir = await triggerFolder({
    "chains/report.yaml": noteChain("report", daily),
    "windlass.yaml": `${baseFiles["windlass.yaml"]}triggers: { other: { chain: report, schedule: "0 8 * * *", timezone: UTC } }\n`,
  });
  const env = { XDG_CONFIG_HOME: join(dir, "config") };
  const server = await serveTriggersIn(dir, new WallClock(start), { trust: "stored", env });
  await rounds(server);
  server.clock.set("2026-06-01T08:00:00Z");
  await rounds(server);
  expect(await server.workspace.triggers.list()).toMatchObject([
    { id: "planted", status: "untrusted", message: expect.stringContaining("windlass trust") },
    { id: "other", status: "untrusted" },
  ]);
  expect(await server.workspace.runs.list()).toEqual([]);
  await server.close();
  const subject = { dir, settings: await readSettings(dir), env };
  const { items } = await reviewTrust(subject);
  expect(items.filter(({ kind }) => kind === "trigger").map(({ text }) => text)).toEqual([
    "report: schedule '0 8 * * *'",
  ]);
  await grantTrust(subject, items);
  const trusted = await serveTriggersIn(dir, new WallClock("2026-06-01T08:00:00Z"), { trust: "stored", env });
  await rounds(trusted);
  // It counts from the trust on.
  expect(await trusted.workspace.runs.list()).toEqual([]);
  trusted.clock.set("2026-06-02T08:00:00Z");
  await endedRuns(trusted, 2);
});

test("only an administrator saves a chain with a new trigger over HTTP [P09] [P06]", async () => {
  const dir = await triggerFolder({ "chains/report.yaml": noteChain("report", daily) });
  const tokens = { admin: token, editor: { token: "edit-token-of-the-tests", scopes: ["edit", "read"] as const } };
  const server = await serveTriggersIn(dir, new WallClock(start), { tokens });
  const save = async (triggers: string, by: string): Promise<unknown> => {
    const path = `${server.url}/v1/chains/report`;
    const authorization = `Bearer ${by}`;
    const etag = (await fetch(path, { headers: { authorization } })).headers.get("etag") ?? "";
    const headers = { authorization, "if-match": etag, "content-type": "application/json" };
    const body = JSON.stringify({ text: noteChain("report", triggers) });
    const response = await fetch(path, { method: "PUT", headers, body });
    return { status: response.status, body: await response.json() };
  };
  const editor = tokens.editor.token;
  const more = `${daily}\n  - { schedule: "0 9 * * *" }`;
  expect(await save(more, editor)).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining('"schedule: 0 9 * * *"') },
  });
  expect(await save(daily.replace("input: { text: planted }", "input: { text: changed }"), editor)).toMatchObject({
    status: 403,
  });
  expect(await save(daily, editor)).toMatchObject({ status: 200 });
  expect(await save(more, token)).toMatchObject({ status: 200 });
  expect(await save(more, editor)).toMatchObject({ status: 200 });
});

test("a workspace without a database has triggers, too, and several chains may share a time [P09]", async () => {
  const dir = await triggerFolder({
    "chains/a.yaml": noteChain("a", '  - { schedule: "0 8 * * *", timezone: UTC, input: { text: a } }'),
    "chains/b.yaml": noteChain("b", '  - { schedule: "0 8 * * *", timezone: UTC, input: { text: b } }'),
  });
  const clock = new WallClock(start);
  const workspace = await openWorkspace(dir, { store: "memory", reload: false, clock });
  const stop = new AbortController();
  const serving = [workspace.triggers.serve(stop.signal), workspace.runs.serve({ signal: stop.signal })];
  const server = { workspace, clock, url: "", close: async () => {} };
  await rounds(server);
  clock.set("2026-06-01T08:00:00Z");
  await endedRuns(server, 2);
  expect((await notes(dir)).toSorted()).toEqual(["a", "b"]);
  stop.abort();
  await Promise.all(serving);
  await workspace.close();
});
