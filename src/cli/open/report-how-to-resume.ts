import { type Invocation, commandLine } from "../program/invocation.ts";

/** Prints how to resume a run that no process holds and that needs no approval. */
export function reportHowToResume(invocation: Invocation, runId: string): void {
  const { terminal } = invocation;
  terminal.log(terminal.tint("cyan", `resume it with: ${commandLine(invocation, "resume", runId)}`));
}
