import { exitCodes } from "./exit-codes.ts";

let ours = false;

/** Ends the process, on purpose. */
export function endProcess(code: number): never {
  ours = true;
  process.exit(code);
}

/** Watches for an end that is not {@link endProcess}: `report` tells of it, and the program fails. */
export function onForeignEnd(report: (message: string) => void): void {
  process.on("exit", (code) => {
    if (ours) return;
    ours = true;
    process.exitCode = exitCodes.failed;
    report(
      code === unsettled
        ? "the command waits for something that never comes: a tool's code left nothing that could go on"
        : `a tool's code ended the process before the command was done, with process.exit(${code})`,
    );
  });
}

/** Node ends with this code when it has nothing left to do and the program still waits. */
const unsettled = 13;
