import { Cron } from "croner";
import { suggestHint } from "../../text/index.ts";

/** Nothing fires rarer: 29 February on a weekday comes back after at most 40 years. */
const reference = new Date(Date.UTC(2000, 0, 1));

/** Why a schedule cannot be used. */
export interface ScheduleFault {
  readonly part: "schedule" | "timezone";
  readonly code: "bad_schedule" | "never_fires" | "unknown_timezone";
  readonly message: string;
  readonly hint: string;
}

const nicknames: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/**
 * A cron expression in a time zone. A time of day that a change of clocks skips comes at the first moment after it; one
 * that comes twice comes the first time. An expression that repeats within the day, such as every half hour, follows the
 * time that has passed instead.
 */
export class Schedule {
  readonly #cron: Cron;

  private constructor(cron: Cron) {
    this.#cron = cron;
  }

  /** Compiles an expression. */
  static parse(expression: string, timezone: string | undefined): Schedule | ScheduleFault {
    if (timezone !== undefined && !isTimeZone(timezone)) return unknownTimeZone(timezone);
    const parts = expression.trim().split(/\s+/);
    if (parts.length !== 5 && parts.length !== 6) return badSchedule(expression, partsHint(expression, parts.length));
    try {
      const mode = "5-or-6-parts";
      const cron = new Cron(parts.join(" "), { paused: true, mode, ...(timezone !== undefined && { timezone }) });
      if (cron.nextRun(reference) === null) return neverFires(expression);
      return new Schedule(cron);
    } catch (error) {
      const why = error instanceof Error ? error.message.replace(/^\w+: /, "") : String(error);
      return badSchedule(expression, why.charAt(0).toLowerCase() + why.slice(1));
    }
  }

  /** The first time after this one; epoch milliseconds. */
  next(after: number): number | undefined {
    return this.#cron.nextRun(new Date(after))?.getTime();
  }

  /** The latest times after `from`, up to and including `to`, oldest first. */
  between(from: number, to: number, max: number): readonly number[] {
    // Times are whole seconds, and those before the next one count.
    const end = new Date((Math.floor(to / 1_000) + 1) * 1_000);
    const latest = (count: number): number[] =>
      this.#cron
        .previousRuns(count, end)
        .map((time) => time.getTime())
        .filter((time) => time > from);
    // Usually there is at most one, and looking back costs time.
    const few = latest(Math.min(2, max));
    const times = few.length < 2 || max <= 2 ? few : latest(max);
    return times.toReversed();
  }
}

/** True for a schedule; false for a fault. */
export function isSchedule(parsed: Schedule | ScheduleFault): parsed is Schedule {
  return !("code" in parsed);
}

function partsHint(expression: string, count: number): string {
  const known = nicknames.get(expression.trim());
  if (known !== undefined) return `write "${known}"`;
  const fields = "minute hour day month weekday, or second minute hour day month weekday";
  return `it has ${count} ${count === 1 ? "field" : "fields"}; write five or six: ${fields}, such as "0 8 * * 1-5"`;
}

function badSchedule(expression: string, hint: string): ScheduleFault {
  const message = `${JSON.stringify(expression.slice(0, 100))} is not a schedule`;
  return { part: "schedule", code: "bad_schedule", message, hint };
}

function neverFires(expression: string): ScheduleFault {
  const message = `the schedule ${JSON.stringify(expression.slice(0, 100))} never fires`;
  return {
    part: "schedule",
    code: "never_fires",
    message,
    hint: "no year has such a day; change the day or the month",
  };
}

function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function unknownTimeZone(name: string): ScheduleFault {
  const hint = suggestHint(name, Intl.supportedValuesOf("timeZone")) ?? "write a name such as Europe/Berlin, or UTC";
  const message = `there is no time zone ${JSON.stringify(name.slice(0, 100))}`;
  return { part: "timezone", code: "unknown_timezone", message, hint };
}
