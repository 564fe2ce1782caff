/**
 * Longest turn of the event loop during some work, in milliseconds of processor time of this thread: other processes do
 * not count.
 */
export async function busiestTurn(work: () => Promise<unknown>): Promise<number> {
  let [busiest, before, running] = [0, cpuMs(), true];
  const tick = (): void => {
    const now = cpuMs();
    busiest = Math.max(busiest, now - before);
    before = now;
    if (running) setImmediate(tick);
  };
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  before = cpuMs();
  setImmediate(tick);
  try {
    await work();
  } finally {
    running = false;
  }
  return Math.max(busiest, cpuMs() - before);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
