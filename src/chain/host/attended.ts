import type { JournalHost } from "./journal-host.ts";
import type { RunKeeper } from "./run-keeper.ts";

/** Who may stop a run while it is executed. */
export interface Attendance {
  readonly keeper?: Pick<RunKeeper, "add" | "remove"> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Who wanted it cancelled before, null where nobody was named; undefined while nobody does. */
  readonly cancelledBy?: string | null | undefined;
}

/** Executes a run at its host, which ends with it: nothing of it stays behind. */
export async function attended<T>(host: JournalHost, by: Attendance, execute: () => Promise<T>): Promise<T> {
  const { keeper, signal, cancelledBy } = by;
  const cancel = (): void => host.cancelRun(undefined);
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
