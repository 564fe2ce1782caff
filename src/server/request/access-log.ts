/** One request and its outcome, for the access log. */
export interface AccessLogEntry {
  readonly at: number;
  readonly requestId: string;
  readonly method: string;
  /** The path of the route, with its parameters in braces; that of the request if there is no such route. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly principal?: string;
}

/**
 * A line of the access log, as text or as JSON. Contains no query, no body and no header.
 *
 * @example
 * ```ts
 * const server = createServer(workspace, { onAccess: (entry) => console.error(formatAccess(entry, "json")) });
 * ```
 *
 * @see docs/guide/http-api.md
 */
export function formatAccess(entry: AccessLogEntry, format: "text" | "json" = "text"): string {
  const { at, requestId, method, route, status, durationMs, principal } = entry;
  const time = new Date(at).toISOString();
  const ms = Math.round(durationMs * 10) / 10;
  if (format === "json")
    return JSON.stringify({
      time,
      method,
      route,
      status,
      duration_ms: ms,
      ...(principal !== undefined && { principal }),
      request_id: requestId,
    });
  return [time, method, route, status, `${ms}ms`, principal ?? "-", requestId].map(toField).join(" ");
}

/** A field of a line: one that a client chose cannot end the line or begin another field. */
function toField(value: string | number): string {
  const text = String(value);
  return /^[\x21-\x7E]+$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}
