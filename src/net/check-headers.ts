import { netFailure } from "./net-reasons.ts";

/** Headers as callers give them; a list sends the header several times. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Headers that are ready to be sent: lower-case names, checked values. */
export type CheckedHeaders = ReadonlyMap<string, readonly string[]>;

/** All names and values together; servers refuse more. */
const maxBytes = 32_768;

/**
 * They frame the message or control the connection; a caller that sets them could reach another host than the checked
 * one.
 */
const forbidden =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|te|trailer|keep-alive|expect|http2-settings|proxy-.*)$/;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Characters that HTTP can carry: visible ASCII, spaces, tabs, and bytes above 0x7f. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Checks the names and values of request headers. Values never appear in a failure: they may be secrets. */
export function checkHeaders(headers: RequestHeaders): CheckedHeaders {
  const checked = new Map<string, readonly string[]>();
  let bytes = 0;
  for (const [name, input] of Object.entries(headers)) {
    const key = checkName(name);
    if (checked.has(key)) throw netFailure("invalid_header", `the header "${key}" is given twice`);
    const values = (typeof input === "string" ? [input] : input).map((value) => checkValue(key, value));
    bytes += values.reduce((sum, value) => sum + key.length + value.length + 4, 0);
    if (bytes > maxBytes) throw netFailure("invalid_header", `the headers are larger than ${maxBytes} bytes together`);
    checked.set(key, values);
  }
  return checked;
}

function checkName(name: string): string {
  if (!token.test(name)) throw netFailure("invalid_header", `${quoteHeaderName(name)} is not a header name`);
  const key = name.toLowerCase();
  if (forbidden.test(key)) {
    throw netFailure(
      "forbidden_header",
      `the header ${quoteHeaderName(name)} is set by the connection itself; leave it out`,
    );
  }
  return key;
}

function checkValue(name: string, value: string): string {
  if (typeof value === "string" && fieldValue.test(value)) return value.trim();
  throw netFailure(
    "invalid_header",
    `the value of the header "${name}" holds a line break, a control character or a character outside Latin-1; encode it`,
  );
}

function quoteHeaderName(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}
