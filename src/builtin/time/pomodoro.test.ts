import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type TimerStore, Pomodoro, createFileTimerStore, createInMemoryTimerStore } from "./index.ts";

const run = promisify(execFile);
const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pomodoro-"));
  folders.push(folder);
  return join(folder, "timers");
}

const stores: readonly (readonly [string, () => Promise<() => TimerStore>])[] = [
  [
    "memory",
    () => {
      const store = createInMemoryTimerStore();
      return Promise.resolve(() => store);
    },
  ],
  [
    "files",
    async () => {
      const folder = await temporaryFolder();
      return () => createFileTimerStore(folder);
    },
  ],
];

describe.each(stores)("a timer stored in %s", (_name, make) => {
  test("runs, reports the remaining time, and finishes", async () => {
    const clock = new FakeClock();
    const open = await make();
    const pomodoro = new Pomodoro({ store: open(), clock });
    expect(await pomodoro.status()).toEqual({ state: "idle", message: "No timer was started yet." });
    const startedAt = clock.now();
    expect(await pomodoro.start({ label: "Write" })).toMatchObject({
      state: "running",
      minutes: 25,
      elapsedSeconds: 0,
    });
    clock.advance(60_500);
    // The store cannot distinguish this from another process.
    const later = new Pomodoro({ store: open(), clock });
    expect(await later.status()).toEqual({
      state: "running",
      label: "Write",
      minutes: 25,
      startedAt: new Date(startedAt).toISOString(),
      endsAt: new Date(startedAt + 1_500_000).toISOString(),
      elapsedSeconds: 60,
      remainingSeconds: 1440,
      message: expect.stringContaining('Running: 25 minutes for "Write", 24 min 0 s left'),
    });
    clock.advance(1_500_000);
    expect(await later.status()).toMatchObject({ state: "finished", elapsedSeconds: 1500, remainingSeconds: 0 });
    expect(await later.start({ minutes: 5 })).toMatchObject({ state: "running", minutes: 5 });
  });

  test("a second start names the running timer", async () => {
    const pomodoro = new Pomodoro({ store: (await make())(), clock: new FakeClock() });
    await pomodoro.start({ minutes: 10, label: "Read" });
    await expect(pomodoro.start({ label: "Write" })).rejects.toMatchObject({
      code: "execution_error",
      reason: "timer_running",
      message: expect.stringContaining('10 minutes for "Read"'),
    });
    expect(await pomodoro.status()).toMatchObject({ label: "Read" });
  });

  test("a start that is retried with the same key starts one timer", async () => {
    const clock = new FakeClock();
    const pomodoro = new Pomodoro({ store: (await make())(), clock });
    const first = await pomodoro.start({ key: "call-1" });
    expect(await pomodoro.start({ key: "call-1" })).toEqual(first);
    await pomodoro.stop();
    expect(await pomodoro.start({ key: "call-1" })).toMatchObject({ state: "stopped" });
    expect(await pomodoro.start({ key: "call-2" })).toMatchObject({ state: "running" });
  });

  test("stopping twice has the same effect as stopping once", async () => {
    const clock = new FakeClock();
    const pomodoro = new Pomodoro({ store: (await make())(), clock });
    expect(await pomodoro.stop()).toMatchObject({ state: "idle" });
    await pomodoro.start();
    clock.advance(90_000);
    const stopped = await pomodoro.stop();
    expect(stopped).toMatchObject({ state: "stopped", elapsedSeconds: 90, remainingSeconds: 1410 });
    clock.advance(90_000);
    expect(await pomodoro.stop()).toEqual(stopped);
    clock.advance(9_000_000);
    expect(await pomodoro.status()).toEqual(stopped);
  });

  test("one of many concurrent starts succeeds, and the others name it", async () => {
    const open = await make();
    const clock = new FakeClock();
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => new Pomodoro({ store: open(), clock }).start({ label: `n${index}` })),
    );
    const won = results.filter(({ status }) => status === "fulfilled");
    expect(won).toHaveLength(1);
    const { label } = await new Pomodoro({ store: open(), clock }).status();
    const reasons = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
    expect(reasons.every((reason) => reason.includes(`for "${label}"`))).toBe(true);
  });

  test("a write after another writer's changes nothing", async () => {
    const store = (await make())();
    const timer = { minutes: 1, startedAt: 0, endsAt: 60_000 };
    expect(await store.write(timer, 0)).toBe(true);
    expect(await store.write({ ...timer, minutes: 2 }, 0)).toBe(false);
    expect(await store.write({ ...timer, minutes: 3 }, 1)).toBe(true);
    expect(await store.write({ ...timer, minutes: 4 }, 0)).toBe(false);
    expect(await store.read()).toEqual({ timer: { ...timer, minutes: 3 }, revision: 2 });
  });
});

describe("a timer stored in files", () => {
  const script = (folder: string, body: string): string => `
    import { Pomodoro } from ${JSON.stringify(join(import.meta.dirname, "pomodoro.ts"))};
    import { createFileTimerStore } from ${JSON.stringify(join(import.meta.dirname, "file-timer-store.ts"))};
    const pomodoro = new Pomodoro({ store: createFileTimerStore(${JSON.stringify(folder)}) });
    ${body}`;
  const node = (code: string): ReturnType<typeof run> =>
    run(process.execPath, ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "-e", code]);

  test("is started by exactly one of several processes, and outlives it", async () => {
    const folder = await temporaryFolder();
    const start = `console.log(await pomodoro.start({ label: "n" + process.pid }).then(({ label }) => label, ({ reason }) => reason));`;
    const runs = await Promise.all(Array.from({ length: 4 }, () => node(script(folder, start))));
    const text = runs.map(({ stdout }) => String(stdout).trim());
    expect(text.filter((line) => line === "timer_running")).toHaveLength(3);
    const { label, state } = await new Pomodoro({ store: createFileTimerStore(folder) }).status();
    expect(state).toBe("running");
    expect(text).toContain(label);
  });

  test("is the old or the new one if a writer is killed, never a partial one", async () => {
    const folder = await temporaryFolder();
    const endless = `for (;;) { await pomodoro.stop(); await pomodoro.start({ label: "x".repeat(150) }); }`;
    const store = createFileTimerStore(folder);
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script(folder, endless)]);
      const ended = new Promise((resolve) => child.once("exit", resolve));
      // Killed in the middle of its work: once it has written, at any moment.
      const { revision: before } = await store.read();
      while ((await store.read()).revision < before + 3 + round) await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill("SIGKILL");
      await ended;
      expect((await store.read()).timer).toMatchObject({ label: "x".repeat(150) });
    }
    await new Pomodoro({ store }).stop();
    await expect(new Pomodoro({ store }).start({ label: "after" })).resolves.toMatchObject({ state: "running" });
  });

  test("leaves a few files, readable by their owner only", async () => {
    const folder = await temporaryFolder();
    const pomodoro = new Pomodoro({ store: createFileTimerStore(folder) });
    for (let round = 0; round < 3; round++) {
      await pomodoro.start();
      await pomodoro.stop();
    }
    const names = await readdir(folder);
    expect(names.sort()).toEqual(["timer-3.json", "timer-4.json", "timer-5.json", "timer-6.json"]);
    expect((await stat(join(folder, "timer-6.json"))).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(join(folder, "timer-6.json"), "utf8"))).toMatchObject({ minutes: 25 });
  });

  test("a writer that was suspended while many others wrote does not win", async () => {
    const store = createFileTimerStore(await temporaryFolder());
    const timer = { minutes: 1, startedAt: 0, endsAt: 60_000 };
    for (let revision = 0; revision < 8; revision++) expect(await store.write(timer, revision)).toBe(true);
    for (let revision = 0; revision < 8; revision++) expect(await store.write(timer, revision)).toBe(false);
    expect(await store.read()).toEqual({ timer, revision: 8 });
  });

  test("files of a dead writer are removed eventually, other files are not touched", async () => {
    const folder = await temporaryFolder();
    const store = createFileTimerStore(folder);
    const pomodoro = new Pomodoro({ store });
    await pomodoro.start();
    const left = join(folder, `timer-${crypto.randomUUID()}.tmp`);
    const fresh = `timer-${crypto.randomUUID()}.tmp`;
    for (const path of [left, join(folder, fresh), join(folder, "notes.txt")]) await writeFile(path, "{");
    await utimes(left, 1000, 1000);
    await pomodoro.stop();
    expect((await readdir(folder)).sort()).toEqual(["notes.txt", "timer-1.json", "timer-2.json", fresh].sort());
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    '{"minutes":"x"}',
    '{"minutes":1,"startedAt":1e300,"endsAt":1}',
    `"${"x".repeat(70_000)}"`,
  ])("%j as the timer file is refused by name", async (text) => {
    const folder = await temporaryFolder();
    const store = createFileTimerStore(folder);
    await store.write({ minutes: 1, startedAt: 0, endsAt: 1 }, 0);
    await writeFile(join(folder, "timer-1.json"), text);
    await expect(new Pomodoro({ store }).status()).rejects.toMatchObject({
      reason: "timer_unreadable",
      message: expect.stringContaining("timer-1.json"),
    });
  });

  test("an invalid folder is named", async () => {
    const folder = await temporaryFolder();
    await writeFile(folder, "a file");
    await expect(new Pomodoro({ store: createFileTimerStore(folder) }).start()).rejects.toMatchObject({
      code: "not_available",
      reason: "timer_store",
      message: expect.stringContaining(folder),
    });
  });

  test("an aborted call does nothing", async () => {
    const folder = await temporaryFolder();
    const pomodoro = new Pomodoro({ store: createFileTimerStore(folder) });
    await expect(pomodoro.start({}, AbortSignal.abort())).rejects.toThrow(/abort/i);
    expect(await pomodoro.status()).toMatchObject({ state: "idle" });
  });
});

test("setting the clock back does not extend a timer", async () => {
  const clock = new FakeClock();
  const store = createInMemoryTimerStore();
  await store.write({ minutes: 10, startedAt: clock.now() + 3_600_000, endsAt: clock.now() + 4_200_000 }, 0);
  expect(await new Pomodoro({ store, clock }).status()).toMatchObject({
    state: "running",
    elapsedSeconds: 0,
    remainingSeconds: 600,
  });
});
