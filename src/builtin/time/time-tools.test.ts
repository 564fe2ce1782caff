import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import {
  createFileTimerStore,
  currentTime,
  getCurrentTimeTool,
  getTimeRangeMsTool,
  getTimeTool,
  pomodoroTool,
} from "./index.ts";

const noon = Date.UTC(2026, 10, 15, 12, 34, 56, 789);

function timeTools(clock: FakeClock, timezone: string | undefined = "Asia/Shanghai"): AnyTool[] {
  const services = { clock, timezone };
  return [getCurrentTimeTool(services), getTimeTool(services), getTimeRangeMsTool(services), pomodoroTool({ clock })];
}

function engineAt(now: number, timezone?: string): Engine {
  const clock = new FakeClock();
  clock.advance(now - clock.now());
  return createEngine({ tools: timeTools(clock, timezone) });
}

describe("[E09] getCurrentTime", () => {
  test("returns the time of the workspace's zone in every form", async () => {
    const engine = engineAt(noon);
    for (const name of ["getCurrentTime", "get_current_time"]) {
      expect(await engine.call(name, {})).toMatchObject({
        success: true,
        output: {
          iso: "2026-11-15T20:34:56.789+08:00",
          epochMs: noon,
          timezone: "Asia/Shanghai",
          utcOffset: "+08:00",
          date: "2026-11-15",
          time: "20:34:56",
          weekday: "Sunday",
          human: "Sunday, 15 November 2026, 20:34:56 (Asia/Shanghai, UTC+08:00)",
        },
      });
    }
  });

  test.each([
    ["America/New_York", "2026-11-15T07:34:56.789-05:00"],
    ["Asia/Kathmandu", "2026-11-15T18:19:56.789+05:45"],
    ["UTC", "2026-11-15T12:34:56.789+00:00"],
    ["UTC-9:30", "2026-11-15T03:04:56.789-09:30"],
    ["Pacific/Kiritimati", "2026-11-16T02:34:56.789+14:00"],
  ])("in %s it is %s", async (timezone, iso) => {
    expect(await engineAt(noon).call("getCurrentTime", { timezone })).toMatchObject({ output: { iso } });
  });

  test("a zone that does not exist is a failure with advice", async () => {
    expect(await engineAt(noon).call("getCurrentTime", { timezone: "Beijing" })).toMatchObject({
      success: false,
      error: {
        code: "validation_error",
        reason: "bad_timezone",
        retry: "never",
        message: expect.stringContaining("Europe/Berlin"),
      },
    });
  });
});

test("[E09] get_time returns one line of text", async () => {
  const engine = engineAt(noon);
  expect(await engine.call("get_time", {})).toMatchObject({
    output: "2026-11-15 20:34:56 Sunday (Asia/Shanghai, UTC+08:00)",
  });
  expect(await engine.call("get_time", { timezone: "UTC" })).toMatchObject({
    output: "2026-11-15 12:34:56 Sunday (UTC)",
  });
});

describe("[E09] getTimeRangeMs", () => {
  test("returns only the range, and its description in meta", async () => {
    const result = await engineAt(noon).call("getTimeRangeMs", { description: "last week" });
    expect(result).toMatchObject({
      success: true,
      meta: {
        timezone: "Asia/Shanghai",
        start: "2026-11-02T00:00:00.000+08:00",
        end: "2026-11-09T00:00:00.000+08:00",
      },
    });
    expect(result.success && result.output).toEqual({
      startTime: Date.parse("2026-11-02T00:00+08:00"),
      endTime: Date.parse("2026-11-09T00:00+08:00"),
    });
  });

  test("counts from another time if one is given, as a number or a text", async () => {
    const engine = engineAt(noon);
    const range = { startTime: Date.parse("2025-12-31T00:00Z"), endTime: Date.parse("2026-01-01T00:00Z") };
    for (const now of [Date.parse("2026-01-01T00:00Z"), "2026-01-01", "2026-01-01T08:00+08:00"]) {
      const args = { description: "昨天", timezone: "UTC", now };
      expect(await engine.call("getTimeRangeMs", args)).toMatchObject({ output: range });
    }
  });

  test("a description that is not understood is a failure with examples", async () => {
    expect(await engineAt(noon).call("getTimeRangeMs", { description: "when pigs fly" })).toMatchObject({
      success: false,
      error: {
        code: "validation_error",
        reason: "not_understood",
        forModel: expect.stringMatching(/"when" is not known.*last week.*上周/s),
      },
    });
  });
});

test("[E09] pomodoro starts, reports its status, and stops, under both names and across engines", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pomodoro-"));
  try {
    const clock = new FakeClock();
    const engines = [1, 2].map(() =>
      createEngine({ tools: [pomodoroTool({ clock, timers: createFileTimerStore(join(folder, "timers")) })] }),
    );
    const [first, second] = engines as [Engine, Engine];
    expect(await first.call("pomodoroTool", {})).toMatchObject({ output: { state: "idle" } });
    expect(await first.call("pomodoro", { action: "start", minutes: 5, label: "读书" })).toMatchObject({
      output: { state: "running", label: "读书", remainingSeconds: 300 },
    });
    expect(await second.call("pomodoro", { action: "start" })).toMatchObject({
      success: false,
      error: {
        code: "execution_error",
        reason: "timer_running",
        retry: "never",
        message: expect.stringContaining("读书"),
      },
    });
    expect(await second.call("pomodoro", { action: "stop" })).toMatchObject({ output: { state: "stopped" } });
    expect(await first.call("pomodoro", { action: "status" })).toMatchObject({ output: { state: "stopped" } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

describe("every tool of time", () => {
  const tools = timeTools(new FakeClock());

  test.each(tools)("$name: its examples work", async (tool: AnyTool) => {
    const engine = createEngine({ tools: [tool] });
    const examples = tool.input.json["examples"] as readonly unknown[];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(await engine.call(tool.name, example as Record<string, unknown>)).toMatchObject({ success: true });
    }
  });

  test.each(tools)("$name: every parameter has a description, and unknown ones are refused", async (tool: AnyTool) => {
    const properties = Object.values(tool.input.json["properties"] as Record<string, { description?: string }>);
    expect(properties.every(({ description = "" }) => description !== "")).toBe(true);
    expect(await tool.input.validate({ description: "today", unknown: 1 })).toHaveProperty("issues");
    expect(tool.destructive).toBe(false);
    expect(tool.capabilities.some((word) => /\p{Script=Han}/u.test(word))).toBe(true);
  });
});

test("the time functions need no engine, and default to the machine's zone and clock", () => {
  expect(currentTime({ timezone: "UTC", now: "1883-11-18T12:00" })).toMatchObject({ date: "1883-11-18" });
  expect(currentTime({ timezone: "Africa/Monrovia", now: "1960-01-01T00:00Z" }).utcOffset).toBe("-00:44:30");
  expect(Math.abs(Date.now() - currentTime().epochMs)).toBeLessThan(10_000);
});
