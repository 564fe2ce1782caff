import { FailureError, isFailureError } from "../../../base/index.ts";

/**
 * A value as plain JSON. A value without a JSON form becomes an object with one key that begins with `$`: bytes, URLs,
 * dates and errors. Undefined values are omitted.
 */
export function toJsonForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toJsonForm(item) ?? null);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return isJson(value) ? value : undefined;
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
  if (value instanceof URL) return { $url: value.href };
  if (value instanceof Date) return { $date: value.toISOString() };
  if (value instanceof Error) return { $error: toJsonForm(factsOf(value)) };
  const fields = Object.entries(value).flatMap(([name, item]) => {
    const form = toJsonForm(item);
    return form === undefined ? [] : [[name, form] as const];
  });
  // fromEntries defines own properties, so that one named __proto__ stays a property.
  const form = Object.fromEntries(fields);
  return isMarked(fields.map(([name]) => name)) ? { $object: form } : form;
}

/** Restores the value that {@link toJsonForm} converted. */
export function fromJsonForm(form: unknown): unknown {
  if (Array.isArray(form)) return form.map(fromJsonForm);
  if (typeof form !== "object" || form === null) return form;
  const fields = Object.entries(form);
  const [first] = fields;
  if (first === undefined || !isMarked(fields.map(([name]) => name))) return decoded(fields);
  const [mark, value] = first as [string, unknown];
  switch (mark) {
    case "$bytes":
      return new Uint8Array(Buffer.from(String(value), "base64"));
    case "$url":
      return new URL(String(value));
    case "$date":
      return new Date(String(value));
    case "$error":
      return toError(value);
    case "$object":
      return decoded(Object.entries(Object(value)));
    default:
      return decoded(fields);
  }
}

function decoded(fields: readonly [string, unknown][]): unknown {
  return Object.fromEntries(fields.map(([name, item]) => [name, fromJsonForm(item)]));
}

function isJson(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function isMarked(names: readonly string[]): boolean {
  return names.length === 1 && names[0]?.startsWith("$") === true;
}

/** The fields that decide whether a caller retries; nothing about how the request was sent. */
function factsOf(error: Error): object {
  if (isFailureError(error)) {
    const { code, message, reason, retry, retryAfterMs } = error.toFailure();
    return { name: error.name, message, code, reason, retry, retryAfterMs };
  }
  const facts: Record<string, unknown> = { name: error.name, message: error.message };
  for (const name of ["statusCode", "isRetryable", "responseBody"] as const)
    if (name in error) facts[name] = Reflect.get(error, name);
  if ("responseHeaders" in error) facts["responseHeaders"] = waitIn(error.responseHeaders);
  return facts;
}

function waitIn(headers: unknown): object {
  return Object.fromEntries(
    Object.entries(Object(headers)).filter(([name]) => name === "retry-after" || name === "retry-after-ms"),
  );
}

function toError(value: unknown): Error {
  const facts = Object(value) as { name?: string; message?: string; code?: string };
  const { message = "" } = facts;
  // The constructor checks the code: a cassette may have been edited.
  if (facts.code !== undefined) return new FailureError(message, facts as object);
  return Object.assign(new Error(message), facts);
}
