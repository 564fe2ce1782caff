const cell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Returns the CPU time of the main thread so far, in microseconds. Kernels update the accounting of a thread at their
 * ticks, four milliseconds apart, and whenever the thread is descheduled; so the thread sleeps for a moment before it
 * reads the value.
 */
export function mainThreadCpuUs(): number {
  Atomics.wait(cell, 0, 0, 0.01);
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
