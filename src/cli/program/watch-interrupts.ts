import { endProcess } from "./end-process.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

/** What is done about the first Ctrl-C or request to end. */
export interface Armed {
  /** `signal` is aborted: the work stops. */
  readonly onStop: () => void;
  /** What a request to end (SIGTERM) does instead of stopping the work; it stops the work where absent. */
  readonly onTerminate?: (() => void) | undefined;
}

/** What Ctrl-C and a request to end do while it is watched. */
export interface Interrupts {
  /** Aborted by the first one, unless that is a request to end for which there is another way. */
  readonly signal: AbortSignal;
  /** The exit code that the first one asks for; undefined while there was none. */
  readonly code: ExitCode | undefined;
  /** From now on the first one is handled and only the second ends the program at once. */
  arm(armed: Armed): void;
  dispose(): void;
}

/** Watches for SIGINT and SIGTERM. Before it is armed there is nothing to wait for: the first one ends the program. */
export function watchInterrupts(exit: (code: ExitCode) => void = endProcess): Interrupts {
  const abort = new AbortController();
  let armed: Armed | undefined;
  let code: ExitCode | undefined;
  const receive = (asked: ExitCode): void => {
    if (armed === undefined || code !== undefined) return exit(code ?? asked);
    code = asked;
    if (asked === exitCodes.terminated && armed.onTerminate !== undefined) return armed.onTerminate();
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
