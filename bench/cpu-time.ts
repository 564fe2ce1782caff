const cell = new Int32Array(new SharedArrayBuffer(4));

/**
 * CPU time of the main thread so far, in microseconds. Kernels bring a thread's account up to date at its ticks, four
 * milliseconds apart, and whenever the thread is put aside: so it steps aside for a moment before it asks.
 */
export function mainThreadCpuUs(): number {
  Atomics.wait(cell, 0, 0, 0.01);
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
