import { expect, test } from "vitest";
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

const daily = '  - { id: daily, schedule: "0 8 * * *", timezone: UTC, input: { text: "${event.time}" } }';
const chain = { "chains/report.yaml": noteChain("report", daily) };
const at = (day: number): string => `2026-06-0${day}T08:00:00.000Z`;

test("two servers, a restart and a clock that jumps fire each time of a schedule once [P09]", async () => {
  const dir = await triggerFolder(chain);
  // Each has its own clock, as two processes would read it at different moments.
  const one = await serveTriggersIn(dir, new WallClock("2026-06-01T07:59:50Z"));
  const two = await serveTriggersIn(dir, new WallClock("2026-06-01T07:59:52Z"));
  await rounds(one, two);
  expect(await one.workspace.runs.list()).toEqual([]);

  for (const { clock } of [one, two]) clock.set("2026-06-01T08:00:01Z");
  await endedRuns(one, 1);
  await rounds(one, two);

  // The clock of one is set back before the time, and passes it again.
  one.clock.set("2026-06-01T07:30:00Z");
  await rounds(one, two);
  one.clock.set("2026-06-01T08:00:30Z");
  await rounds(one, two);

  // Both jump to the future: of the times in between, the last counts. Then they return, and the times come.
  for (const { clock } of [one, two]) clock.set("2026-06-03T08:00:05Z");
  await endedRuns(one, 2);
  await rounds(one, two);
  for (const { clock } of [one, two]) clock.set("2026-06-02T07:00:00Z");
  await rounds(one, two);
  for (const { clock } of [one, two]) clock.set("2026-06-02T08:00:00Z");
  await endedRuns(one, 3);
  for (const { clock } of [one, two]) clock.set("2026-06-03T08:00:02Z");
  await rounds(one, two);

  // A restart at the same moment repeats nothing.
  await two.close();
  const three = await serveTriggersIn(dir, new WallClock("2026-06-03T08:00:02Z"));
  await rounds(one, three);
  const runs = await endedRuns(one, 3);
  expect(await notes(dir)).toEqual([at(1), at(3), at(2)]);
  expect(runs.map(({ id }) => id).toSorted()).toEqual([1, 2, 3].map((day) => `daily-2026060${day}T080000Z`));
  expect(JSON.parse(runs[0]?.context ?? "")).toMatchObject({ callerPath: ["trigger"] });
});

test.each([
  ["none", []],
  ["last", [at(5)]],
  ["all", [at(2), at(3), at(4), at(5)]],
] as const)("times that passed while no server ran: %s [P09]", async (missed, expected) => {
  const trigger = daily.replace("input:", `missed: ${missed}, input:`);
  const dir = await triggerFolder({ "chains/report.yaml": noteChain("report", trigger) });
  const before = await serveTriggersIn(dir, new WallClock("2026-06-01T12:00:00Z"));
  await rounds(before);
  await before.close();
  const after = await serveTriggersIn(dir, new WallClock("2026-06-05T12:00:00Z"));
  await rounds(after);
  await endedRuns(after, expected.length);
  expect(await notes(dir)).toEqual(expected);
  // The next one is punctual, with any setting.
  after.clock.set("2026-06-06T08:00:59Z");
  await endedRuns(after, expected.length + 1);
  expect((await notes(dir)).at(-1)).toBe(at(6));
});

test("a schedule of each second that was down for a week makes up for the latest hundred times [P09]", async () => {
  const trigger =
    '  - { id: tick, schedule: "* * * * * *", missed: all, overlap: skip, input: { text: "${event.time}" } }';
  const dir = await triggerFolder({ "chains/report.yaml": noteChain("report", trigger) });
  const before = await serveTriggersIn(dir, new WallClock("2026-06-01T00:00:00Z"));
  await rounds(before);
  await before.close();
  await put(dir, "hold", "");
  const after = await serveTriggersIn(dir, new WallClock("2026-06-08T00:00:00Z"));
  await rounds(after);
  // They overlap, and all but the first are skipped.
  expect(await after.workspace.runs.list()).toHaveLength(1);
  const [state] = (await after.workspace.store?.triggers.list()) ?? [];
  expect(state?.cursor).toBe(Date.parse("2026-06-08T00:00:00Z"));
  const times = Array.from({ length: 101 }, (_, index) => Date.parse("2026-06-08T00:00:00Z") - index * 1_000);
  const keys = times.map((time) => new Date(time).toISOString().replaceAll(/[-:]|\.000/g, ""));
  expect(await after.workspace.store?.triggers.known("tick", keys)).toHaveLength(100);
  await put(dir, "hold.done", "");
});

test("a trigger that is paused, or whose schedule changes, begins anew [P09]", async () => {
  const dir = await triggerFolder(chain);
  const server = await serveTriggersIn(dir, new WallClock("2026-06-01T07:00:00Z"));
  const { triggers } = server.workspace;
  await rounds(server);
  await triggers.pause("daily");
  expect(await triggers.list()).toMatchObject([
    { id: "daily", status: "paused", message: expect.stringMatching("resume") },
  ]);
  server.clock.set("2026-06-02T09:00:00Z");
  await rounds(server);
  await triggers.resume("daily");
  await rounds(server);
  expect(await server.workspace.runs.list()).toEqual([]);
  const next = Date.parse("2026-06-03T08:00:00Z");
  expect(await triggers.list()).toMatchObject([{ status: "active", next, file: "chains/report.yaml", waiting: 0 }]);
  await put(dir, "chains/report.yaml", noteChain("report", daily.replace("0 8", "30 8")));
  await server.workspace.chainFolder.reload();
  await rounds(server);
  server.clock.set("2026-06-03T08:30:00Z");
  await endedRuns(server, 1);
  expect(await notes(dir)).toEqual(["2026-06-03T08:30:00.000Z"]);
  expect(await triggers.list()).toMatchObject([
    { last: { at: Date.parse("2026-06-03T08:30:00Z"), runId: "daily-20260603T083000Z" } },
  ]);
});

test("a firing by hand runs beside others, and an unknown or unusable trigger is refused with advice [P09]", async () => {
  const dir = await triggerFolder({
    ...chain,
    "chains/broken.yaml": noteChain("broken", '  - { id: broken, schedule: "0 8 * *" }'),
  });
  const server = await serveTriggersIn(dir, new WallClock("2026-06-01T07:00:00Z"));
  const { triggers } = server.workspace;
  const fired = await triggers.fire("daily", { event: { time: "by hand" }, principal: "ann" });
  expect(fired).toMatchObject({ status: "started", triggerId: "daily" });
  await endedRuns(server, 1);
  expect(await notes(dir)).toHaveLength(1);
  await expect(triggers.fire("dayly")).rejects.toThrow('did you mean "daily"?');
  await expect(triggers.fire("broken")).rejects.toMatchObject({
    reason: "inactive_trigger",
    message: expect.stringContaining("is not a schedule"),
  });
});
