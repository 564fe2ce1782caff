import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import {
  WallClock,
  endedRuns,
  noteChain,
  notes,
  put,
  rounds,
  serveTriggersIn,
  triggerFolder,
} from "./trigger-servers.ts";

const inbox = '  - { file: "inbox/**/*.md", input: { text: "${event.path}" } }';
const start = "2026-06-01T07:00:00Z";

test("new and changed files fire once each, in two servers and after a restart; those before do not [P09]", async () => {
  const dir = await triggerFolder({ "chains/read.yaml": noteChain("read", inbox), "inbox/before.md": "old" });
  const one = await serveTriggersIn(dir, new WallClock(start));
  const two = await serveTriggersIn(dir, new WallClock(start));
  await rounds(one, two);
  await put(dir, "inbox/a.md", "1");
  await put(dir, "inbox/deep/b.md", "1");
  await put(dir, "inbox/a.txt", "1");
  await put(dir, "other/c.md", "1");
  await put(dir, "inbox/.hidden.md", "1");
  await endedRuns(one, 2);
  // Changed, replaced by another file, and written again with the same content.
  await put(dir, "inbox/a.md", "2");
  await put(dir, "part", "new");
  await rename(join(dir, "part"), join(dir, "inbox/before.md"));
  await put(dir, "inbox/deep/b.md", "1");
  await endedRuns(one, 4);
  await one.close();
  await two.close();
  await put(dir, "inbox/while-down.md", "1");
  await rm(join(dir, "inbox/deep"), { recursive: true });
  const three = await serveTriggersIn(dir, new WallClock(start));
  const runs = await endedRuns(three, 5);
  await rounds(three);
  const files = ["a.md", "a.md", "before.md", "deep/b.md", "while-down.md"].map((name) => `inbox/${name}`);
  expect((await notes(dir)).toSorted()).toEqual(files);
  expect(JSON.parse(runs[0]?.context ?? "")).toMatchObject({ callerPath: ["trigger"], tainted: true });
  expect(await three.workspace.runs.list()).toHaveLength(5);
});

test("a file that is still being written fires once, when it has not changed for a second [P09]", async () => {
  const digest = inbox.replace("event.path", "event.digest");
  const dir = await triggerFolder({ "chains/read.yaml": noteChain("read", digest) });
  const server = await serveTriggersIn(dir, new WallClock(start));
  await rounds(server);
  for (let part = 1; part <= 6; part++) {
    await put(dir, "inbox/slow.md", "x".repeat(part * 1_000));
    await setTimeout(300);
  }
  await endedRuns(server, 1);
  const { createHash } = await import("node:crypto");
  const whole = createHash("sha256").update("x".repeat(6_000)).digest("hex");
  expect(await notes(dir)).toEqual([whole]);
});

test("a folder that appears later is watched, and a link out of the workspace is not followed [P09]", async () => {
  const { symlink } = await import("node:fs/promises");
  const outside = await triggerFolder({ "secret.md": "outside" });
  const dir = await triggerFolder({ "chains/read.yaml": noteChain("read", inbox) });
  const server = await serveTriggersIn(dir, new WallClock(start));
  await rounds(server);
  await put(dir, "inbox/first.md", "1");
  await symlink(join(outside, "secret.md"), join(dir, "inbox/link.md"));
  await symlink(outside, join(dir, "inbox/folder"));
  await endedRuns(server, 1);
  await rounds(server);
  expect(await notes(dir)).toEqual(["inbox/first.md"]);
});

test("many files at once run one after the other if they are queued [P09]", async () => {
  const queued = inbox.replace("input:", "overlap: queue, input:");
  const dir = await triggerFolder({ "chains/read.yaml": noteChain("read", queued) });
  const server = await serveTriggersIn(dir, new WallClock(start));
  await rounds(server);
  const names = Array.from({ length: 12 }, (_, index) => `inbox/${String(index).padStart(2, "0")}.md`);
  await Promise.all(names.map((name) => put(dir, name, "1")));
  await vi.waitFor(async () => expect(await notes(dir)).toHaveLength(12), 60_000);
  expect((await notes(dir)).toSorted()).toEqual(names);
  const runs = (await endedRuns(server, 12)).toSorted((a, b) => a.startedAt - b.startedAt);
  const overlaps = runs.filter(({ startedAt }, index) => startedAt < (runs[index - 1]?.finishedAt ?? 0));
  expect(overlaps).toEqual([]);
});
