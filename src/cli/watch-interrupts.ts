import { endProcess } from "./end-process.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

/** What Ctrl-C and a request to end do while it is watched. */
export interface Interrupts {
  /** Aborted by the first one. */
  readonly signal: AbortSignal;
  /** The exit code that the first one asks for; undefined while there was none. */
  readonly code: ExitCode | undefined;
  /** From now on the first one aborts `signal` and only the second ends the program at once. */
  arm(onFirst: () => void): void;
  dispose(): void;
}

/** Watches for SIGINT and SIGTERM. Before it is armed there is nothing to wait for: the first one ends the program. */
export function watchInterrupts(exit: (code: ExitCode) => void = endProcess): Interrupts {
  const abort = new AbortController();
  let onFirst: (() => void) | undefined;
  let code: ExitCode | undefined;
  const receive = (asked: ExitCode): void => {
    if (onFirst === undefined || code !== undefined) exit(code ?? asked);
    code = asked;
    abort.abort();
    onFirst?.();
  };
  const interrupt = (): void => receive(exitCodes.interrupted);
  const terminate = (): void => receive(exitCodes.terminated);
  process.on("SIGINT", interrupt).on("SIGTERM", terminate);
  return {
    signal: abort.signal,
    get code() {
      return code;
    },
    arm: (listener) => {
      onFirst = listener;
    },
    dispose: () => {
      process.off("SIGINT", interrupt).off("SIGTERM", terminate);
    },
  };
}
