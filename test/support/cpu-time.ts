/** CPU time of this thread in milliseconds: unlike elapsed time, it hardly grows with the load of the machine. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
