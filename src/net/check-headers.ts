import { refuse } from "./net-reasons.ts";

/** Headers as callers give them; a list sends the header several times. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Headers that are ready to be sent: lower-case names, checked values. */
export type CheckedHeaders = ReadonlyMap<string, readonly string[]>;

/** All names and values together; servers refuse more. */
const mostBytes = 32_768;

/** They frame the message or steer the connection; a caller who sets them could speak to another host than was checked. */
const forbidden =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|te|trailer|keep-alive|expect|http2-settings|proxy-.*)$/;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What HTTP can carry: visible ASCII, spaces, tabs, and bytes above 0x7f. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Checks the names and values of request headers. Values never appear in a failure: they may be secrets. */
export function checkHeaders(headers: RequestHeaders): CheckedHeaders {
  const checked = new Map<string, readonly string[]>();
  let bytes = 0;
  for (const [name, given] of Object.entries(headers)) {
    const key = checkName(name);
    if (checked.has(key)) throw refuse("invalid_header", `the header "${key}" is given twice`);
    const values = (typeof given === "string" ? [given] : given).map((value) => checkValue(key, value));
    bytes += values.reduce((sum, value) => sum + key.length + value.length + 4, 0);
    if (bytes > mostBytes) throw refuse("invalid_header", `the headers are larger than ${mostBytes} bytes together`);
    checked.set(key, values);
  }
  return checked;
}

function checkName(name: string): string {
  if (!token.test(name)) throw refuse("invalid_header", `${shown(name)} is not a header name`);
  const key = name.toLowerCase();
  if (forbidden.test(key)) {
    throw refuse("forbidden_header", `the header ${shown(name)} is set by the connection itself; leave it out`);
  }
  return key;
}

function checkValue(name: string, value: string): string {
  if (typeof value === "string" && fieldValue.test(value)) return value.trim();
  throw refuse(
    "invalid_header",
    `the value of the header "${name}" holds a line break, a control character or a character outside Latin-1; encode it`,
  );
}

function shown(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}
