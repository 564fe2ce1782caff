import { exitCodes } from "./exit-codes.ts";

let ours = false;

/** Exits the process intentionally. */
export function endProcess(code: number): never {
  ours = true;
  process.exit(code);
}

/** Watches for an exit without {@link endProcess}: `report` is called, and the program fails. */
export function onUnexpectedExit(report: (message: string) => void): void {
  process.on("exit", (code) => {
    if (ours) return;
    ours = true;
    process.exitCode = exitCodes.failed;
    report(
      code === unsettled
        ? "a tool returned a promise that never settles and the event loop is empty; exiting"
        : `a tool ended the process with process.exit(${code}) before the command was done`,
    );
  });
}

/** Node's exit code for an unsettled top-level await with an empty event loop. */
const unsettled = 13;
