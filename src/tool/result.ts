import type { Failure, FailureError } from "../base/index.ts";

/** An image, a sound or a file that accompanies a JSON output. */
export interface Attachment {
  readonly kind: "image" | "audio" | "file";
  readonly mimeType: string;
  readonly data: Uint8Array;
  readonly name?: string;
}

/** Facts about a call, besides its output: those of the engine, and those that the handler reported. */
export interface ResultMeta {
  readonly callId: string;
  /** The source the tool came from: `tools`, `skills`, `mcps`, … */
  readonly source: string;
  readonly attempts: number;
  /** The output was reused from the cache, or shared with an in-flight call. */
  readonly cached?: boolean;
  /** Paths of arguments that the tool does not declare; they were removed. */
  readonly ignored?: readonly string[];
  /** The handler ignored its abort signal and was abandoned; its late result is discarded. */
  readonly abandoned?: boolean;
  /** The approval given in advance for a call that a rule would otherwise require approval for. */
  readonly preapproved?: string;
  readonly [reported: string]: unknown;
}

/** A call that returned an output. */
export interface ToolSuccess<Output = unknown> {
  readonly success: true;
  readonly tool: string;
  readonly output: Output;
  readonly attachments?: readonly Attachment[];
  /** Duration of the work, retries included, without the time in `queuedMs`. */
  readonly durationMs: number;
  /** Time that the call waited for a slot or for a decision, if it did. */
  readonly queuedMs?: number;
  /** Epoch milliseconds. */
  readonly executedAt: number;
  readonly meta: ResultMeta;
}

/** A failed call with its failure. */
export interface ToolError {
  readonly success: false;
  readonly tool: string;
  readonly error: Failure;
  /** Duration of the work, retries included, without the time in `queuedMs`. */
  readonly durationMs: number;
  /** Time that the call waited for a slot or for a decision, if it did. */
  readonly queuedMs?: number;
  /** Epoch milliseconds. */
  readonly executedAt: number;
  readonly meta: ResultMeta;
}

/** Result of every call: a value, never an exception. Narrow it on `success`. */
export type ToolResult<Output = unknown> = ToolSuccess<Output> | ToolError;

/** Return value of a handler: the output, the output with attachments and facts, or a failure. */
export type HandlerValue<Output> = Output | Ok<Output> | FailureError;

const okBrand: unique symbol = Symbol.for("windlass.ok") as never;

/** An output with its attachments and facts; made by {@link ok}. */
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
 *
 * @see docs/guide/tools.md
 */
export function ok<Output>(output: Output, beside: Omit<Ok<Output>, typeof okBrand | "output"> = {}): Ok<Output> {
  return { [okBrand]: true, output, ...beside };
}

/** True if this value was made by {@link ok}. */
export function isOk(value: unknown): value is Ok<unknown> {
  return typeof value === "object" && value !== null && okBrand in value;
}

/**
 * The small `{ success, data, error }` form of a result.
 *
 * @example
 * ```ts
 * toDict(await engine.call("echo", { message: "hi" })); // { success: true, data: { message: "hi" }, error: null }
 * ```
 */
export function toDict(result: ToolResult): { success: boolean; data: unknown; error: string | null } {
  return result.success
    ? { success: true, data: result.output, error: null }
    : { success: false, data: null, error: result.error.message };
}

/**
 * The result in its form for files, terminals and HTTP bodies: snake_case, JSON only.
 *
 * @example
 * ```ts
 * response.end(JSON.stringify(toWireResult(await engine.call("echo", { message: "hi" }))));
 * ```
 */
export function toWireResult(result: ToolResult): Record<string, unknown> {
  const { attempts, callId, ...meta } = result.meta;
  return {
    success: result.success,
    tool: result.tool,
    ...(result.success ? { output: result.output } : { error: toWireFailure(result.error) }),
    ...(result.success && result.attachments && { attachments: result.attachments.map(toWireAttachment) }),
    duration_ms: toMicroseconds(result.durationMs),
    ...(result.queuedMs !== undefined && { queued_ms: toMicroseconds(result.queuedMs) }),
    executed_at: new Date(result.executedAt).toISOString(),
    meta: { ...snakeKeys(meta), attempts, call_id: callId },
  };
}

/** Milliseconds with three digits after the point. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
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

/** The attachment kind of a MIME type. */
export function attachmentKind(mimeType: string): Attachment["kind"] {
  const [top] = mimeType.split("/");
  return top === "image" || top === "audio" ? top : "file";
}

/** The bytes that a base64 text stands for. */
export function bytesOfBase64(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, "base64"));
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
