/** Something that can finish what is under way. */
export interface Closable {
  close(): Promise<void>;
}

/**
 * Closes an engine or a workspace when the process is told to end, then lets it end by that signal. A second signal
 * ends it at once. Returns the function that takes the handlers away again.
 *
 * @example
 * ```ts
 * closeOnSignals(engine);
 * ```
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
