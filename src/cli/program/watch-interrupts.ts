import { type ExitCode, exitCodes } from "./exit-codes.ts";

/** Handlers of the first Ctrl-C or SIGTERM. */
export interface Armed {
  /** Called after `signal` is aborted: the work stops. */
  readonly onStop: () => void;
  /** Handles SIGTERM instead of stopping the work. Default: SIGTERM stops the work too. */
  readonly onTerminate?: (() => void) | undefined;
}

/** State of Ctrl-C and SIGTERM while they are watched. */
export interface Interrupts {
  /** Aborted by the first one, unless it is a SIGTERM with a handler of its own. */
  readonly signal: AbortSignal;
  /** Exit code of the first one; undefined before it. */
  readonly code: ExitCode | undefined;
  /** From now on the first one is handled, and only the second exits immediately. */
  arm(armed: Armed): void;
  dispose(): void;
}

/**
 * Watches for SIGINT and SIGTERM. Before it is armed, the first one exits immediately, since there is nothing to wait
 * for.
 */
export function watchInterrupts(exit: (code: ExitCode) => void = endProcess): Interrupts {
  const abort = new AbortController();
  let armed: Armed | undefined;
  let code: ExitCode | undefined;
  const receive = (request: ExitCode): void => {
    if (armed === undefined || code !== undefined) return exit(code ?? request);
    code = request;
    if (request === exitCodes.terminated && armed.onTerminate !== undefined) return armed.onTerminate();
    abort.abort();
    armed.onStop();
  };
  const interrupt = (): void => receive(exitCodes.interrupted);
  const terminate = (): void => receive(exitCodes.terminated);
  process.on("SIGINT", interrupt).on("SIGTERM", terminate);
  return {
    signal: abort.signal,
    get code() {
      return code;
    },
    arm: (how) => {
      armed = how;
    },
    dispose: () => {
      process.off("SIGINT", interrupt).off("SIGTERM", terminate);
    },
  };
}

/** Runs `work` with a signal that the first Ctrl-C or SIGTERM aborts; the second one exits immediately. */
export async function withStopSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupts = watchInterrupts();
  interrupts.arm({ onStop: () => {} });
  try {
    return await work(interrupts.signal);
  } finally {
    interrupts.dispose();
  }
}

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
