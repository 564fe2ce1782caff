/** `0.4 ms`, `12 ms`, `3.2 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${tenths(ms)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${tenths(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

function tenths(number: number): string {
  return number.toFixed(1).replace(/\.0$/, "");
}

/** `512 B`, `12.3 kB`, `1.5 GB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 ? Math.round(size) : size.toFixed(1).replace(/\.0$/, "")} ${units[unit] ?? ""}`;
}

/** `1 record`, `12,000 records`. */
export function formatCount(count: number, word: string): string {
  return `${formatNumber(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** `1 retry`, `2 retries`. */
export function formatRetries(count: number): string {
  return count === 1 ? "1 retry" : `${formatNumber(count)} retries`;
}

/** `12,000`. Not by locale: that loads the tables of all languages first, which takes longer than most commands. */
export function formatNumber(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
