/** Something that can be closed after its running work has finished. */
export interface Closable {
  close(): Promise<void>;
}

/**
 * Closes an engine or a workspace when the process receives SIGINT or SIGTERM, then lets the signal end the process. A
 * second signal ends it immediately. Returns a function that removes the handlers.
 *
 * @example
 * ```ts
 * closeOnSignals(engine);
 * ```
 *
 * @see docs/guide/engine.md
 */
export function closeOnSignals(
  target: Closable,
  signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM"],
): () => void {
  const restore = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  function onSignal(signal: NodeJS.Signals): void {
    restore();
    const end = (): boolean => process.kill(process.pid, signal);
    target.close().then(end, end);
  }
  for (const signal of signals) process.on(signal, onSignal);
  return restore;
}
