import { type Invocation, commandLine } from "./invocation.ts";

/** Says how to go on with a run that nobody executes, and that waits for nobody. */
export function tellResume(invocation: Invocation, runId: string): void {
  const { terminal } = invocation;
  terminal.tell(terminal.tint("cyan", `${commandLine(invocation, "resume", runId)} goes on with it`));
}
