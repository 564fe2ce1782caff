import { systemClock } from "../../base/index.ts";
import { type InputFor, type ToolFor, defineTool } from "../../tool/index.ts";
import type { TimeServices } from "./get-current-time-tool.ts";
import type { PomodoroStatus } from "./pomodoro.ts";
import type { TimerStore } from "./timer-store.ts";

/** Services of `pomodoro`. Without a store, the timer lives as long as the process. */
export interface PomodoroServices extends Pick<TimeServices, "clock"> {
  readonly timers?: TimerStore | undefined;
}

const input = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["start", "status", "stop"],
      default: "status",
      description: "What to do with the timer.",
    },
    minutes: { type: "number", minimum: 1, maximum: 1440, description: "With start: how long. Default: 25." },
    label: { type: "string", maxLength: 200, description: "With start: what the time is for." },
  },
  additionalProperties: false,
  examples: [{ action: "start", minutes: 25, label: "Write the report" }, { action: "status" }, { action: "stop" }],
} as const;

const output = {
  type: "object",
  properties: {
    state: { type: "string", enum: ["idle", "running", "finished", "stopped"] },
    label: { type: "string" },
    minutes: { type: "number" },
    startedAt: { type: "string" },
    endsAt: { type: "string" },
    stoppedAt: { type: "string" },
    elapsedSeconds: { type: "integer" },
    remainingSeconds: { type: "integer" },
    message: { type: "string", description: "The same for people." },
  },
  required: ["state", "message"],
} as const;

/** The tool `pomodoro`: a timer for one stretch of work. */
export function pomodoroTool({ clock = systemClock, timers }: PomodoroServices = {}): ToolFor<
  typeof input,
  PomodoroStatus
> {
  const load = once(async () => {
    const { Pomodoro } = await import("./pomodoro.ts");
    return new Pomodoro({ clock, ...(timers !== undefined && { store: timers }) });
  });
  return defineTool({
    name: "pomodoro",
    description:
      "A timer for focused work: start begins one (25 minutes unless minutes says otherwise), status shows its state " +
      "and the time left, stop ends it early. One timer runs at a time; starting a second one fails and names the " +
      "running one. The timer keeps running when the program ends. It does not ring: call status to check it.",
    displayName: "Pomodoro timer",
    category: "time",
    tags: ["time", "timer", "focus"],
    capabilities: ["timer", "pomodoro", "计时", "番茄钟"],
    aliases: ["pomodoroTool", "pomodoro_tool"],
    // The effect may be requested before the defaults are filled in.
    effect: ({ action = "status" }: InputFor<typeof input>) => (action === "status" ? "read" : "idempotent"),
    destructive: false,
    callerContent: true,
    timeoutMs: 10_000,
    input,
    output,
    run: async ({ action, minutes, label }, { signal, idempotencyKey }) => {
      const pomodoro = await load();
      switch (action) {
        case "start":
          return pomodoro.start({ minutes, label, key: idempotencyKey }, signal);
        case "stop":
          return pomodoro.stop(signal);
        case "status":
          return pomodoro.status(signal);
      }
    },
  });
}

/** Creates it on first use, so that every call shares one. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
