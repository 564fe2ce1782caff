export { formatDuration } from "../../text/index.ts";

/** `2026-11-15 08:19:07`, in local time. */
export function formatTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "unknown";
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
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

/** `08:19:07.123`, in local time. */
export function clockTime(at: number): string {
  const date = new Date(at);
  const padded = (number: number, digits: number): string => String(number).padStart(digits, "0");
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => padded(part, 2)).join(":");
  return `${clock}.${padded(date.getMilliseconds(), 3)}`;
}
