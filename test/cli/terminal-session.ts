import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { VtScreen } from "../support/vt-screen.ts";
import { environment, shellCommand } from "./windlass.ts";

/** Keys without a letter. */
export const keys = {
  enter: "\r",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  left: "\u001b[D",
  backspace: "\u007f",
} as const;

/** The program at a terminal, with functions to type keys and to read the screen. */
export interface TerminalSession {
  readonly screen: VtScreen;
  readonly type: (text: string) => void;
  /** Waits until the screen shows this; fails with the screen's content. */
  readonly shows: (what: RegExp | string) => Promise<void>;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** Waits until the program has ended. */
  readonly ended: Promise<number | null>;
}

const patienceMs = 20_000;

/** Runs the program at a terminal of 60 columns and 24 rows, or of this size. */
export function openTerminal(
  words: string,
  { cwd, columns = 60, rows = 24 }: { readonly cwd: string; readonly columns?: number; readonly rows?: number },
): TerminalSession {
  // No shell in between: some exit on a Ctrl-C that the program has handled.
  const command = `tty > .tty; stty cols ${columns} rows ${rows}; exec ${shellCommand} ${words}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { cwd, env: environment });
  const screen = new VtScreen(columns, rows);
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen.write(text);
    change();
  });
  let isOver = false;
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      isOver = true;
      change();
      resolve(code);
    });
  });
  const shows = async (what: RegExp | string): Promise<void> => {
    const until = performance.now() + patienceMs;
    while (typeof what === "string" ? !screen.text.includes(what) : !what.test(screen.text)) {
      if (isOver || performance.now() > until) throw new Error(`no ${String(what)} on the screen:\n${screen.all}`);
      await Promise.race([changed.promise, new Promise((resolve) => setTimeout(resolve, 200))]);
    }
  };
  return {
    screen,
    ended,
    shows,
    type: (text) => void child.stdin.write(text),
    resize: async (width, height) => {
      const tty = (await readFile(join(cwd, ".tty"), "utf8")).trim();
      // The terminal is resized first, then the program is notified.
      screen.resize(width, height);
      await promisify(execFile)("stty", ["-F", tty, "cols", String(width), "rows", String(height)]);
    },
  };
}
