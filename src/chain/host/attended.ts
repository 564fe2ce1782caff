import type { CallStep } from "../../engine/index.ts";
import type { JournalHost } from "./journal-host.ts";
import type { RunKeeper } from "./run-keeper.ts";

/** Who may stop a run while it is executed. */
export interface Attendance {
  readonly keeper?: Pick<RunKeeper, "add" | "remove"> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The call of another run that this one is executed for: where that is left, so is this. */
  readonly step?: CallStep | undefined;
  /** Who wanted it cancelled before, null where nobody was named; undefined while nobody does. */
  readonly cancelledBy?: string | null | undefined;
}

/** Executes a run at its host, which ends with it: nothing of it stays behind. */
export async function attended<T>(host: JournalHost, by: Attendance, execute: () => Promise<T>): Promise<T> {
  const { keeper, signal, step, cancelledBy } = by;
  const cancel = (): void => (step?.isLeft === true ? host.abandon() : host.cancelRun(undefined));
  if (signal?.aborted === true) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  if (cancelledBy !== undefined) host.cancelRun(cancelledBy ?? undefined);
  keeper?.add(host);
  try {
    return await execute();
  } finally {
    signal?.removeEventListener("abort", cancel);
    keeper?.remove(host);
    host.close();
  }
}
