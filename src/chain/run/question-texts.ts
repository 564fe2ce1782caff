import { type Failure, failure } from "../../base/index.ts";
import { tooLargeToAsk } from "../../store/index.ts";

/** What is asked when a rule wants a person to allow a call. */
export function ruled(tool: string): string {
  return `Allow ${tool} to run with these arguments?`;
}

/** What is asked when a fallback is to stand in for a call that people were asked about. */
export function standingIn(message: string, failed: string, tool: string): string {
  return `${message} (${failed} failed; ${tool} would stand in for it, with these arguments)`;
}

/** People have to see all of what they let through: a failure where that is more than can be kept for them. */
export function unseen(tool: string, args: unknown): Failure | undefined {
  const why = tooLargeToAsk(jsonBytes(args));
  if (why === undefined) return undefined;
  const message = `nobody was asked about ${tool}: ${why}`;
  return failure("permission_denied", message, { reason: "too_large", retry: "never" });
}

/** What is asked when nobody knows whether a `once` tool did its work. */
export function interruption(tool: string, startedAt: number, otherwise: string = "let the step fail"): string {
  return (
    `${tool} was running when its process ended (started ${new Date(startedAt).toISOString()}), and must not run twice. ` +
    `Find out whether its work was done: approve to run it again, approve --done if it was done, reject to ${otherwise}.`
  );
}

/** Why a step that may have been done is not undone. */
export function doubtOf(tool: string): string {
  return `nobody knows whether ${tool} had done its work when its process ended; if it had, undo it by hand`;
}

/** The failure of a `once` tool that was stopped, and whose process ended. */
export function unknownEnd(tool: string): Failure {
  return failure("interrupted", `${tool} was running when its process ended, and nobody knows how far it had come`);
}

/** What JSON cannot write is shown as such, and is not large. */
function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? "");
  } catch {
    return 0;
  }
}
