import type { Failure, FailureError } from "../base/index.ts";

/** An image, a sound or a file that travels beside a JSON output. */
export interface Attachment {
  readonly kind: "image" | "audio" | "file";
  readonly mimeType: string;
  readonly data: Uint8Array;
  readonly name?: string;
}

/** Facts about a call, besides its output: the engine's own, and what the handler reported. */
export interface ResultMeta {
  readonly callId: string;
  /** The source the tool came from: `tools`, `skills`, `mcps`, … */
  readonly source: string;
  readonly attempts: number;
  /** The output was reused from the cache, or shared with a call already under way. */
  readonly cached?: boolean;
  /** The handler ignored its abort signal and was left behind; its late result is discarded. */
  readonly abandoned?: boolean;
  /** A rule wants to ask about the call, and this had approved it beforehand. */
  readonly preapproved?: string;
  readonly [reported: string]: unknown;
}

/** A call that gave an output. */
export interface ToolSuccess<Output = unknown> {
  readonly success: true;
  readonly tool: string;
  readonly output: Output;
  readonly attachments?: readonly Attachment[];
  readonly durationMs: number;
  /** Epoch milliseconds. */
  readonly executedAt: number;
  readonly meta: ResultMeta;
}

/** A call that failed, and why. */
export interface ToolError {
  readonly success: false;
  readonly tool: string;
  readonly error: Failure;
  readonly durationMs: number;
  /** Epoch milliseconds. */
  readonly executedAt: number;
  readonly meta: ResultMeta;
}

/** What every call gives: a value, never an exception. Narrow it on `success`. */
export type ToolResult<Output = unknown> = ToolSuccess<Output> | ToolError;

/** What a handler may return: the output, the output with attachments and facts, or a failure. */
export type Returned<Output> = Output | Ok<Output> | FailureError;

const okBrand: unique symbol = Symbol.for("windlass.ok") as never;

/** An output with what goes beside it; made by {@link ok}. */
export interface Ok<Output> {
  readonly [okBrand]: true;
  readonly output: Output;
  readonly attachments?: readonly Attachment[];
  readonly meta?: Readonly<Record<string, unknown>>;
}

/**
 * Returns an output together with attachments or facts for `meta`.
 *
 * @example
 * ```ts
 * return ok({ width: 640 }, { attachments: [{ kind: "image", mimeType: "image/png", data }] });
 * ```
 */
export function ok<Output>(output: Output, beside: Omit<Ok<Output>, typeof okBrand | "output"> = {}): Ok<Output> {
  return { [okBrand]: true, output, ...beside };
}

/** Was this value made by {@link ok}? */
export function isOk(value: unknown): value is Ok<unknown> {
  return typeof value === "object" && value !== null && okBrand in value;
}

/** The small `{ success, data, error }` form of a result. */
export function toDict(result: ToolResult): { success: boolean; data: unknown; error: string | null } {
  return result.success
    ? { success: true, data: result.output, error: null }
    : { success: false, data: null, error: result.error.message };
}

/** The result as it is written to files, terminals and HTTP bodies: snake_case, JSON only. */
export function toWireResult(result: ToolResult): Record<string, unknown> {
  const { attempts, callId, ...meta } = result.meta;
  return {
    success: result.success,
    tool: result.tool,
    ...(result.success ? { output: result.output } : { error: toWireFailure(result.error) }),
    ...(result.success && result.attachments && { attachments: result.attachments.map(toWireAttachment) }),
    duration_ms: Math.round(result.durationMs * 1000) / 1000,
    executed_at: new Date(result.executedAt).toISOString(),
    meta: { ...snakeKeys(meta), attempts, call_id: callId },
  };
}

/** A failure in its written form. */
export function toWireFailure(failure: Failure): Record<string, unknown> {
  return {
    code: failure.code,
    ...(failure.reason !== undefined && { reason: failure.reason }),
    message: failure.message,
    ...(failure.issues && { issues: failure.issues }),
    retry: failure.retry,
    ...(failure.retryAfterMs !== undefined && { retry_after_ms: failure.retryAfterMs }),
    ...(failure.approvalId !== undefined && { approval_id: failure.approvalId }),
    ...(failure.thrownAt !== undefined && { thrown_at: failure.thrownAt }),
  };
}

function toWireAttachment(attachment: Attachment): Record<string, unknown> {
  return {
    kind: attachment.kind,
    mime_type: attachment.mimeType,
    ...(attachment.name !== undefined && { name: attachment.name }),
    data: Buffer.from(attachment.data).toString("base64"),
  };
}

/** camelCase keys of a flat object to snake_case. */
export function snakeKeys(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    result[key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = item;
  }
  return result;
}
