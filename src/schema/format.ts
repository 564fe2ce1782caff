import { nodeNet } from "../base/index.ts";

/** Checks of the `format` keyword. Each is linear in the text; an unknown format is not checked. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  // RFC 3339 allows a lower-case t and, by convention, a space.
  "date-time": (text) => /^.{10}[tT ]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  date: isDate,
  time: isTime,
  duration: (text) =>
    /^P(?=.)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)$/.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => nodeNet().isIPv4(text),
  ipv6: (text) => nodeNet().isIPv6(text) && !text.includes("%"),
  uri: isUri,
  url: isUri,
  "uri-reference": (text) => uriCharacters.test(text),
  uuid: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};

const timeParts = /^(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:z|[+-](\d\d):(\d\d))$/i;

function isDate(text: string): boolean {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00Z`) : undefined;
  // A day that its month does not have becomes one of the next month.
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isTime(text: string): boolean {
  const [, hour = 99, minute = 99, second = 99, offsetHour, offsetMinute] = timeParts.exec(text)?.map(Number) ?? [];
  // Second 60 is a leap second. Without an offset (`Z`) the last two are NaN, which compares as false.
  return hour <= 23 && minute <= 59 && second <= 60 && !(Number(offsetHour) > 23) && !(Number(offsetMinute) > 59);
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || at > 64 || text.length > 254) return false;
  const local = text.slice(0, at);
  if (!/^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]+$/u.test(local)) return false;
  if (local.startsWith(".") || local.endsWith(".") || local.includes("..")) return false;
  const domain = text.slice(at + 1);
  return isHostname(domain) || /^(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,63}$/u.test(domain);
}

function isHostname(text: string): boolean {
  if (text.length === 0 || text.length > 253) return false;
  return text.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));
}

/** No spaces, controls or characters that RFC 3986 excludes. */
const uriCharacters = /^[^\p{Cc}\p{Z}"<>\\^`{|}]*$/u;

function isUri(text: string): boolean {
  return (
    /^[a-z][a-z0-9+.-]*:./i.test(text) && uriCharacters.test(text) && (!text.includes("://") || URL.canParse(text))
  );
}
