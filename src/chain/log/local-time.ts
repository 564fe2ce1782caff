/**
 * A moment in local time: `2026-02-25T18:50:00.000+08:00`. The offset is in minutes east of Greenwich. Default: the
 * offset of this machine at that moment.
 */
export function toLocalTime(at: number, utcOffset?: number): string {
  const offset = utcOffset ?? -new Date(at).getTimezoneOffset();
  const local = new Date(at + offset * 60_000).toISOString().slice(0, -1);
  const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}
