import { execFileSync, spawn } from "node:child_process";
import { environment, shellCommand } from "./windlass.ts";

/** `script` of util-linux runs a program at a terminal. */
export const hasTerminal: boolean =
  process.platform === "linux" &&
  (() => {
    try {
      return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
    } catch {
      return false;
    }
  })();

/** Result of a program at a terminal. */
export interface Session {
  readonly code: number | null;
  /** Everything shown on the screen, from both streams. */
  readonly screen: string;
}

/** Runs the program at a terminal of 60 columns, and types an answer when it prompts; `early` is typed at once. */
export function atTerminal(
  words: string,
  cwd: string,
  answer?: string | (() => Promise<string>),
  ...[env = {}, early]: readonly [env?: Readonly<Record<string, string>>, early?: string]
): Promise<Session> {
  const command = `stty cols 60 rows 24; ${shellCommand} ${words}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    cwd,
    env: { ...environment, ...env },
  });
  if (early !== undefined) child.stdin.write(early);
  let screen = "";
  let answered = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    if (!answered && answer !== undefined && /\[y\/n[^\]]*\]/i.test(screen)) {
      answered = true;
      void Promise.resolve(typeof answer === "string" ? answer : answer()).then((typed) => child.stdin.write(typed));
    }
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, screen: screen.replaceAll("\r\n", "\n") }));
  });
}
