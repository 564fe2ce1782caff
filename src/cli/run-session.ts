import { type Workspace, openWorkspace } from "../app/index.ts";
import { type FailureError, isFailureError } from "../base/index.ts";
import type { ExecuteOptions, RunResult } from "../chain/index.ts";
import { askInRun } from "./ask-in-run.ts";
import { closeWorkspace } from "./close-workspace.ts";
import { endProcess } from "./end-process.ts";
import type { ExitCode } from "./exit-codes.ts";
import { type Invocation, commandLine } from "./invocation.ts";
import { tellError } from "./report-error.ts";
import { eventsView } from "./run-view/events-view.ts";
import { redactEvent } from "./run-view/redact-event.ts";
import { type RunView, openRunView } from "./run-view/run-view.ts";
import { shortText } from "./short-text.ts";
import { tellSlowLoad } from "./tell-slow-load.ts";
import { tellStep } from "./tell-step.ts";
import { userName } from "./user-name.ts";
import { type Interrupts, watchInterrupts } from "./watch-interrupts.ts";

/** A workspace in which runs are executed, and what may stop them. */
export interface RunSession {
  readonly invocation: Invocation;
  readonly workspace: Workspace;
  readonly interrupts: Interrupts;
  /** What is being executed, for whoever has to leave it. */
  runId: string | undefined;
}

/** Opens the workspace here to execute runs, does the work, and closes it. */
export async function withRuns(
  invocation: Invocation,
  work: (session: RunSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { terminal } = invocation;
  const interrupts = watchInterrupts((code) => leave(session, code));
  const storeFailures: FailureError[] = [];
  let session: RunSession | undefined;
  const workspace = await openWorkspace(".", {
    reload: false,
    onStoreError: (failure) => storeFailures.push(failure),
    onSlowLoad: tellSlowLoad(terminal),
    onLog: ({ message, data }) => tellStep(terminal, data === undefined ? message : `${message} ${shortText(data)}`),
  });
  try {
    session = { invocation, workspace, interrupts, runId: undefined };
    return await work(session);
  } catch (error) {
    if (interrupts.code === undefined || !isFailureError(error) || error.code !== "cancelled") throw error;
    tellError(terminal, { message: error.message, code: error.code });
    return interrupts.code;
  } finally {
    await closeWorkspace(workspace, { terminal, storeFailures, what: "the run" });
    interrupts.dispose();
  }
}

/** The second Ctrl-C: nothing is waited for any more. What the journal has stays, so that somebody can go on. */
function leave(session: RunSession | undefined, code: ExitCode): never {
  if (session?.runId !== undefined) {
    const { terminal } = session.invocation;
    terminal.tell(`Left as it is: ${commandLine(session.invocation, "resume", session.runId)} goes on with it`);
  }
  endProcess(code);
}

/** How a run is followed. */
export interface FollowOptions {
  /** Whether the run is kept, so that another process can go on with it. */
  readonly durable: boolean;
  /** The way to ask people; at the terminal where absent. */
  readonly ask?: ExecuteOptions["ask"];
}

/** Executes a run and shows it, until it is over or waits for a person. */
export async function followRun(
  session: RunSession,
  { durable, ask }: FollowOptions,
  execute: (how: ExecuteOptions) => Promise<RunResult>,
): Promise<RunResult> {
  const { invocation, interrupts } = session;
  const { terminal } = invocation;
  const view = viewFor(session);
  const stopWaiting = tellWaiting(session);
  interrupts.arm(() => {
    const again = durable ? "press Ctrl-C again to leave it as it is" : "press Ctrl-C again to stop at once";
    terminal.tell(`Stopping the run; ${again}.`);
  });
  const asking = ask ?? (terminal.interactive ? askInRun({ terminal, view, by: userName(), durable }) : undefined);
  try {
    return await execute({
      signal: interrupts.signal,
      onEvent: (event) => {
        stopWaiting();
        if (durable) session.runId = event.runId;
        view.onEvent(event);
      },
      ...(asking !== undefined && { ask: asking }),
    });
  } finally {
    stopWaiting();
    session.runId = undefined;
    view.close();
  }
}

function viewFor({ invocation, workspace }: RunSession): RunView {
  const { terminal } = invocation;
  const { redactor } = workspace.engine;
  if (invocation.flag("events")) return eventsView(terminal, redactor);
  const view = openRunView(terminal);
  return {
    onEvent: (event) => view.onEvent(redactEvent(event, redactor)),
    pause: () => view.pause(),
    close: () => view.close(),
  };
}

/** A run that another process executes tells nothing here: that it is waited for is told instead. */
function tellWaiting({ invocation: { terminal } }: RunSession): () => void {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    terminal.status(terminal.tint("dim", `waiting for the run, ${seconds} s`));
  }, 1000);
  return () => {
    clearInterval(timer);
    terminal.status();
  };
}
