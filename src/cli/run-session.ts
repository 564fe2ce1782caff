import type { ReasoningLanguage } from "../agent/index.ts";
import { type Workspace, type WorkspaceOptions, openWorkspace } from "../app/index.ts";
import { type FailureError, isFailureError } from "../base/index.ts";
import type { ExecuteOptions, RunResult } from "../chain/index.ts";
import { askInRun } from "./ask-in-run.ts";
import { askQuestion } from "./ask-question.ts";
import { closeWorkspace } from "./close-workspace.ts";
import { endProcess } from "./end-process.ts";
import type { ExitCode } from "./exit-codes.ts";
import { oneLine } from "./format-table.ts";
import { type Invocation, commandLine } from "./invocation.ts";
import { tellError } from "./report-error.ts";
import { eventsView } from "./run-view/events-view.ts";
import { redactEvent } from "./run-view/redact-event.ts";
import { type RunView, openRunView } from "./run-view/run-view.ts";
import { shortText } from "./short-text.ts";
import { tellSlowLoad } from "./tell-slow-load.ts";
import { tellStep } from "./tell-step.ts";
import type { Approval } from "../store/index.ts";
import { watchThrown } from "./thrown-tools.ts";
import { userName } from "./user-name.ts";
import { type Interrupts, watchInterrupts } from "./watch-interrupts.ts";

/** A workspace in which runs are executed, and what may stop them. */
export interface RunSession {
  readonly invocation: Invocation;
  readonly workspace: Workspace;
  readonly interrupts: Interrupts;
  /** Why nothing can be kept; undefined where it can be, or where nothing is to be. */
  readonly unkept: FailureError | undefined;
  /** What is being executed, for whoever has to leave it. */
  runId: string | undefined;
  /** That the run is to be cancelled is being written down; true once it is. */
  cancelling: Promise<boolean> | undefined;
  /** It is being left at once. */
  leaving: boolean;
  /** In which people are told of it. */
  language: ReasoningLanguage;
  /** Somebody else decided on what was asked here. */
  decidedElsewhere: boolean;
}

/** Where runs are kept: in the database; in it, if it can be opened, for a run that need not be kept; or nowhere. */
export type Keeping = "kept" | "if-possible" | "nowhere";

/** Opens the workspace here to execute runs, does the work, and closes it. */
export async function withRuns(
  invocation: Invocation,
  work: (session: RunSession) => Promise<ExitCode>,
  keeping: Keeping = "kept",
): Promise<ExitCode> {
  const interrupts = watchInterrupts((code) => leave(session, code));
  let session: RunSession | undefined;
  const opened = await openForRuns(invocation, keeping);
  try {
    session = sessionOf(opened, invocation, interrupts);
    return await untilStopped(session, work);
  } finally {
    await opened.close();
    interrupts.dispose();
  }
}

/** A workspace in which runs are executed. */
export interface OpenedForRuns extends Pick<RunSession, "workspace" | "unkept"> {
  close(): Promise<void>;
}

/** Opens the workspace here, for runs one after the other; see {@link inTurn}. */
export async function openForRuns(
  { terminal }: Pick<Invocation, "terminal">,
  keeping: Keeping = "kept",
): Promise<OpenedForRuns> {
  const storeFailures: FailureError[] = [];
  const opened = await open(keeping, {
    reload: false,
    onStoreError: (failure) => storeFailures.push(failure),
    onSlowLoad: tellSlowLoad(terminal),
    onLog: ({ message, data }) => tellStep(terminal, data === undefined ? message : `${message} ${shortText(data)}`),
  });
  return { ...opened, close: () => closeWorkspace(opened.workspace, { terminal, storeFailures, what: "the run" }) };
}

/** Does the work of one turn: Ctrl-C stops it, and nothing that comes after it. */
export async function inTurn(
  opened: OpenedForRuns,
  invocation: Invocation,
  work: (session: RunSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  const interrupts = watchInterrupts((code) => leave(session, code));
  const session = sessionOf(opened, invocation, interrupts);
  try {
    return await untilStopped(session, work);
  } finally {
    interrupts.dispose();
  }
}

function sessionOf({ workspace, unkept }: OpenedForRuns, invocation: Invocation, interrupts: Interrupts): RunSession {
  return {
    unkept,
    invocation,
    workspace,
    interrupts,
    runId: undefined,
    cancelling: undefined,
    leaving: false,
    language: "en",
    decidedElsewhere: false,
  };
}

async function untilStopped(session: RunSession, work: (session: RunSession) => Promise<ExitCode>): Promise<ExitCode> {
  const { interrupts, invocation, workspace } = session;
  const tellThrown = watchThrown(workspace.engine, invocation.terminal);
  try {
    return await work(session);
  } catch (error) {
    if (interrupts.code === undefined || !isFailureError(error) || error.code !== "cancelled") throw error;
    tellError(invocation.terminal, { message: error.message, code: error.code });
    return interrupts.code;
  } finally {
    tellThrown();
  }
}

async function open(keeping: Keeping, options: WorkspaceOptions): Promise<Pick<RunSession, "workspace" | "unkept">> {
  const inMemory = (): Promise<Workspace> => openWorkspace(".", { ...options, store: "memory" });
  if (keeping === "nowhere") return { workspace: await inMemory(), unkept: undefined };
  try {
    return { workspace: await openWorkspace(".", options), unkept: undefined };
  } catch (error) {
    const isOfStore = isFailureError(error) && error.code.startsWith("store_");
    if (keeping === "kept" || !isOfStore) throw error;
    return { workspace: await inMemory(), unkept: error };
  }
}

/** The second Ctrl-C: nothing is waited for any more. What the journal has stays, so that somebody can go on. */
function leave(session: RunSession | undefined, code: ExitCode): void {
  if (session?.runId === undefined || session.leaving) endProcess(code);
  session.leaving = true;
  const { invocation, runId, cancelling } = session;
  // The first one is being written down, which takes no time to speak of; what is told has to be true.
  const known = Promise.race([cancelling ?? false, new Promise<false>((done) => setTimeout(done, 1000, false))]);
  void known.then((isCancelled) => {
    const what = isCancelled ? "carries out the cancellation" : "goes on with it";
    invocation.terminal.tell(`Left as it is: ${commandLine(invocation, "resume", runId)} ${what}`);
    endProcess(code);
  });
}

/** How a run is followed. */
export interface FollowOptions {
  /** Whether the run is kept, so that another process can go on with it. */
  readonly durable: boolean;
  /** The way to ask people; at the terminal where absent. */
  readonly ask?: ExecuteOptions["ask"];
}

/** What somebody else decided on a question that was asked here; undefined where nobody did. */
export async function decidedElsewhere(session: RunSession, { id }: Approval): Promise<Approval | undefined> {
  // Whoever stops the run takes its questions back.
  if (session.interrupts.code !== undefined) return undefined;
  const approval = await session.workspace.approvals.get(id, Date.now());
  if (approval === undefined || approval.status === "pending") return undefined;
  session.decidedElsewhere = true;
  return approval;
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
  interrupts.arm({
    onStop: () => stop(session, durable),
    onTerminate: durable ? () => leaveToOthers(session) : undefined,
  });
  const how = { terminal, view, by: userName(), durable, decidedElsewhere: decidedElsewhere.bind(null, session) };
  const asking = ask ?? (terminal.interactive ? askInRun(how) : undefined);
  try {
    return await execute({
      signal: interrupts.signal,
      onNotice: noticesOf(invocation),
      onEvent: (event) => {
        stopWaiting();
        if (durable) session.runId = event.runId;
        view.onEvent(event);
      },
      ...(asking !== undefined && { ask: asking }),
      ...(terminal.interactive && { elicit: askQuestion({ terminal, pause: () => view.pause() }) }),
    });
  } finally {
    stopWaiting();
    session.runId = undefined;
    view.close();
  }
}

/** Tells what a person should know about a run, each thing once. */
export function noticesOf({ terminal }: Invocation): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (!told.has(message)) terminal.tell(`${terminal.tint("yellow", "note:")} ${oneLine(message)}`);
    told.add(message);
  };
}

/** Ctrl-C: the run is cancelled, and what it did is undone. */
function stop(session: RunSession, durable: boolean): void {
  const { invocation, workspace, runId } = session;
  const again = durable ? "press Ctrl-C again to leave it as it is" : "press Ctrl-C again to stop at once";
  invocation.terminal.tell(`Stopping the run; ${again}.`);
  if (!durable || runId === undefined) return;
  // The run itself is being told; this is for whoever comes next, should it be left before it could write that down.
  session.cancelling = workspace.runs.cancel(runId, userName()).catch(() => false);
}

/** A request to end, such as a service's: it is about this process, not about the work. */
function leaveToOthers({ invocation, workspace }: RunSession): void {
  invocation.terminal.tell("Leaving the run: what is under way may end, and nothing more is begun.");
  void workspace.runs.close();
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
