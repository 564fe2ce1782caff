/** `08:19:07.123`, in local time. */
export function clockTime(at: number): string {
  const date = new Date(at);
  const padded = (number: number, digits: number): string => String(number).padStart(digits, "0");
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => padded(part, 2)).join(":");
  return `${clock}.${padded(date.getMilliseconds(), 3)}`;
}
