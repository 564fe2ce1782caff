import { isRecord } from "../../schema/index.ts";
import { cutDisplay } from "../../text/index.ts";
import { reportToolLog } from "./open-here.ts";
import type { RunWorkspace } from "../remote/run-workspace.ts";
import { formatNumber } from "../terminal/format-figures.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { shortText } from "../terminal/short-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The line at the terminal while a call runs. */
export interface Waiting {
  /** Shows progress that the tool reports. */
  readonly progress: (value: unknown) => void;
  /** Clears space for a prompt; returns a function that ends the pause. */
  readonly pause: () => () => void;
  readonly stop: () => void;
}

/**
 * Shows on a terminal how far a call is: one line that changes in place, with a bar if the total is known. Texts that a
 * tool reports are lines of their own; without a terminal, all progress is.
 */
export function showWaiting({ engine }: Pick<RunWorkspace, "engine">, terminal: Terminal, name: string): Waiting {
  let timer: NodeJS.Timeout | undefined;
  let [isPaused, startedAt, reported] = [false, performance.now(), ""];
  const draw = (): void => {
    if (isPaused || timer === undefined) return;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const text = reported === "" ? `waiting for ${toOneLine(name)}` : `${toOneLine(name)} ${reported}`;
    const line = `${text}, ${seconds} s`;
    // A line that wraps could not be replaced.
    terminal.status(terminal.tint("dim", cutDisplay(line, (terminal.sideColumns ?? line.length + 1) - 1)));
  };
  const unsubscribe = engine.subscribe(() => {
    if (timer === undefined) startedAt = performance.now();
    timer ??= setInterval(draw, 1000);
  }, ["execution_started"]);
  return {
    progress: (value) => {
      if (terminal.screen === undefined || typeof value === "string") return reportToolLog(terminal, value);
      reported = formatProgress(value);
      draw();
    },
    pause: () => {
      isPaused = true;
      terminal.status();
      return () => (isPaused = false);
    },
    stop: () => {
      unsubscribe();
      clearInterval(timer);
      timer = undefined;
      terminal.status();
    },
  };
}

/** Keys under which tools report how much is done: built-in tools, and servers by the protocol. */
const doneKeys = ["progress", "settled", "seen", "done", "completed"];
const barLength = 20;

/** Formats progress on one line: `████░░░░ 40 % (2,000 of 5,000)`, or its figures if the total is unknown. */
export function formatProgress(value: unknown): string {
  if (!isRecord(value)) return shortText(value, 200);
  const { total, message } = value;
  const done = doneKeys.map((key) => value[key]).find((count) => typeof count === "number");
  const text = typeof message === "string" ? ` ${shortText(message, 200)}` : "";
  if (typeof total === "number" && total > 0 && typeof done === "number") {
    const share = Math.min(1, Math.max(0, done / total));
    const full = Math.floor(share * barLength);
    const bar = "█".repeat(full) + "░".repeat(barLength - full);
    return `${bar} ${Math.floor(share * 100)} % (${formatNumber(done)} of ${formatNumber(total)})${text}`;
  }
  const figures = Object.entries(value).flatMap(([key, figure]) =>
    typeof figure === "number" ? `${toOneLine(key)} ${formatNumber(figure)}` : [],
  );
  return figures.length === 0 ? shortText(message ?? value, 200) : `${figures.join(", ")}${text}`;
}
