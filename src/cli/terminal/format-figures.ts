export { formatBytes, formatCount, formatDuration, formatNumber, formatRetries } from "../../text/index.ts";

/** `2026-11-15 08:19:07`, in local time. */
export function formatTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "unknown";
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `08:19:07.123`, in local time. */
export function clockTime(at: number): string {
  const date = new Date(at);
  const padded = (number: number, digits: number): string => String(number).padStart(digits, "0");
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => padded(part, 2)).join(":");
  return `${clock}.${padded(date.getMilliseconds(), 3)}`;
}
