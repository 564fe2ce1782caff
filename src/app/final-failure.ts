import { type FailureError, fail, isFailureError } from "../base/index.ts";

const reason = "not_sent_again";

/** A failure after which a message is not sent again. */
export function finalFailure(message: string): FailureError {
  return fail(message, { code: "not_available", reason, retry: "never" });
}

/** True for a {@link finalFailure}. */
export function isFinalFailure(error: unknown): boolean {
  return isFailureError(error) && error.reason === reason;
}
