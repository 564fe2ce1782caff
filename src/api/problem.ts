import type { Failure, FailureCode, Issue } from "../base/index.ts";

/** A failure that only the HTTP API has. */
export type ApiCode =
  | "bad_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "not_acceptable"
  | "conflict"
  | "precondition_failed"
  | "too_large"
  | "unsupported_media_type"
  | "idempotency_mismatch"
  | "unknown_outcome"
  | "too_many_requests"
  | "internal_error"
  | "shutting_down";

/** The code of a problem: a failure of Windlass, or one of the HTTP API. */
export type ProblemCode = FailureCode | ApiCode;

/** The body of every error response, `application/problem+json` (RFC 9457). */
export interface Problem {
  /** The entry of the failure reference. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** The event and its remedy. */
  readonly detail: string;
  readonly code: ProblemCode;
  /** A finer reason within the code. */
  readonly reason?: string;
  readonly issues?: readonly Issue[];
  readonly hint?: string;
  /** The position in a file of the workspace. */
  readonly position?: { readonly file: string; readonly line: number; readonly column: number };
  /** States whether the same request may be sent again. */
  readonly retry?: Failure["retry"];
  /** The pending approval, with `approval_required` and `unknown_outcome`. */
  readonly approval_id?: string;
  /** The facts of a call that failed: its tool, its id and its times. */
  readonly call?: {
    readonly tool: string;
    readonly duration_ms: number;
    readonly queued_ms?: number;
    readonly executed_at: string;
    /** The position in the code of the workspace that threw. */
    readonly thrown_at?: string;
    readonly meta: { readonly call_id: string; readonly attempts: number };
  };
  /** The run or call concerned. */
  readonly run_id?: string;
  /** The person or token that decided first, with a decision that came second. */
  readonly decided_by?: string;
}

/** The status of each problem. A failure becomes an HTTP status only here. */
export const problemStatuses: Readonly<Record<ProblemCode, number>> = {
  // The request is wrong.
  bad_request: 400,
  validation_error: 400,
  tool_invalid: 422,
  file_invalid: 422,
  chain_invalid: 422,
  idempotency_mismatch: 422,
  unauthorized: 401,
  forbidden: 403,
  permission_denied: 403,
  not_found: 404,
  tool_not_found: 404,
  run_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  too_large: 413,
  unsupported_media_type: 415,
  precondition_failed: 412,
  // The state does not allow it.
  conflict: 409,
  approval_required: 409,
  run_exists: 409,
  run_held: 409,
  run_lost: 409,
  run_changed: 409,
  crash_loop: 409,
  interrupted: 409,
  unknown_outcome: 409,
  cancelled: 409,
  // It can be sent again later.
  too_many_requests: 429,
  rejected: 429,
  queue_timeout: 503,
  not_available: 503,
  executor_not_found: 503,
  engine_closed: 503,
  shutting_down: 503,
  store_full: 507,
  // The work failed. Not 502: programs between client and server may repeat such a request.
  execution_error: 500,
  output_invalid: 500,
  items_failed: 500,
  expression_error: 422,
  loop_exhausted: 422,
  timeout: 504,
  internal_error: 500,
  store_newer: 500,
  store_failed: 500,
};

/** Facts of a problem besides its code and its text. */
export type ProblemDetails = Partial<Omit<Problem, "type" | "title" | "status" | "detail" | "code">>;

/** Builds the body of an error response. */
export function createProblem(code: ProblemCode, detail: string, details: ProblemDetails = {}): Problem {
  return {
    type: `urn:windlass:failure:${code}`,
    title: titleOf(code),
    status: problemStatuses[code],
    detail,
    code,
    ...details,
  };
}

/** A failure as a problem. */
export function toProblem(failure: Failure, details: ProblemDetails = {}): Problem {
  const { code, message, reason, issues, retry, approvalId } = failure;
  return createProblem(code, message, {
    ...(reason !== undefined && { reason }),
    ...(issues !== undefined && { issues }),
    ...(approvalId !== undefined && { approval_id: approvalId }),
    retry,
    ...details,
  });
}

function titleOf(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
