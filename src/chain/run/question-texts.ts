import { type Failure, failure } from "../../base/index.ts";

/** What is asked when a rule wants a person to allow a call. */
export function ruled(tool: string): string {
  return `Allow ${tool} to run with these arguments?`;
}

/** What is asked when nobody knows whether a `once` tool did its work. */
export function interruption(tool: string, startedAt: number, otherwise: string = "let the step fail"): string {
  return (
    `${tool} was running when its process ended (started ${new Date(startedAt).toISOString()}), and must not run twice. ` +
    `Find out whether its work was done: approve to run it again, reject to ${otherwise}.`
  );
}

/** The failure of a `once` tool that was stopped, and whose process ended. */
export function unknownEnd(tool: string): Failure {
  return failure("interrupted", `${tool} was running when its process ended, and nobody knows how far it had come`);
}
