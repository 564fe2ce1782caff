import type { Problem, ProblemCode } from "../api/index.ts";

const brand = Symbol.for("windlass.api_error");

/**
 * A request that failed: with a problem of the server, or without a response.
 *
 * @see docs/guide/http-api.md
 */
export class ApiError extends Error {
  /** The body of the response; undefined if there was none, or if it came from another program, such as a proxy. */
  readonly problem: Problem | undefined;
  /** The status of the response; undefined without one. */
  readonly status: number | undefined;
  /** The earliest sensible time for a retry, in milliseconds from now. */
  readonly retryAfterMs: number | undefined;

  constructor(
    problem: Problem | undefined,
    message: string,
    {
      status,
      retryAfterMs,
      cause,
    }: { readonly status?: number; readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ApiError";
    this.problem = problem;
    this.status = problem?.status ?? status;
    this.retryAfterMs = retryAfterMs;
    Object.defineProperty(this, brand, { value: true });
  }

  /** The failure code; undefined without a problem. */
  get code(): ProblemCode | undefined {
    return this.problem?.code;
  }

  /** True if the server was not reached, or cannot take the request yet. */
  get isTransient(): boolean {
    return this.status === undefined || this.status === 429 || this.status === 503;
  }
}

/**
 * True for an {@link ApiError}, of this or another copy of Windlass.
 *
 * @example
 * ```ts
 * if (isApiError(error) && error.code === "approval_required") console.log(error.problem?.approval_id);
 * ```
 *
 * @see docs/guide/http-api.md
 */
export function isApiError(value: unknown): value is ApiError {
  return typeof value === "object" && value !== null && brand in value;
}

/** The error of a response that is not a success. */
export async function toApiError(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const retry = Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {};
  const text = await response.text();
  const problem = headers.get("content-type") === "application/problem+json" ? parseProblem(text) : undefined;
  const message = problem?.detail ?? `the server answered ${status}: ${text.slice(0, 200)}`;
  return new ApiError(problem, message, { status, ...retry });
}

function parseProblem(text: string): Problem | undefined {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return undefined;
  }
}
