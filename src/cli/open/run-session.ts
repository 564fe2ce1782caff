import type { ReasoningLanguage } from "../../agent/index.ts";
import { isFailureError, type Failure } from "../../base/index.ts";
import type { Workspace } from "../../app/index.ts";
import type { ExecuteRunOptions, RunEvent } from "../../chain/index.ts";
import { promptRunApproval } from "../approvals/prompt-run-approval.ts";
import { elicitAtTerminal } from "../approvals/elicit-at-terminal.ts";
import { endProcess, type Interrupts, watchInterrupts } from "../program/watch-interrupts.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { type Invocation, commandLine } from "../program/invocation.ts";
import { reportFormattedError } from "../program/report-error.ts";
import { eventsView, type RunView, openRunView } from "../terminal/run-view/run-view.ts";
import { shortText } from "../terminal/short-text.ts";
import type { RemoteWorkspace } from "../remote/remote-workspace.ts";
import { type OpenedHere, openHere, requireTrust } from "./open-here.ts";
import type { ChainRunResult, RunWorkspace } from "../remote/run-workspace.ts";
import { warnUnmatchedRules } from "./warn-unmatched-rules.ts";
import type { Approval } from "../../store/index.ts";
import { watchToolErrors } from "./watch-tool-errors.ts";
import { userName } from "../terminal/user-name.ts";
import type { Redactor } from "../../secrets/index.ts";

/** A workspace in which runs are executed, and the interrupts that stop them. */
export interface RunSession extends Pick<OpenedHere, "notStored"> {
  readonly workspace: RunWorkspace;
  /** The workspace of this machine; undefined for that of a server. */
  readonly local: Workspace | undefined;
  readonly invocation: Invocation;
  readonly interrupts: Interrupts;
  /** The current run, for the code that releases it. */
  runId: string | undefined;
  /** Persisting the cancellation; resolves to true once it is persisted. */
  cancelling: Promise<boolean> | undefined;
  /** True while the run is being released immediately. */
  isReleasing: boolean;
  /** Language of the reports. */
  language: ReasoningLanguage;
  /** True if an approval that was prompted for here was decided elsewhere. */
  decidedElsewhere: boolean;
}

/** A session in the workspace of this machine. */
export interface LocalSession extends RunSession {
  readonly workspace: Workspace;
}

/** A session in the workspace of a server. */
export interface RemoteSession extends RunSession {
  readonly workspace: RemoteWorkspace;
}

/**
 * Persistence of runs: in the database; in the database if it can be opened, for a run that need not be durable; or
 * none.
 */
export type RunPersistence = "durable" | "if-possible" | "none";

/** Opens the workspace here, or that of the server, to execute runs, runs `work`, and closes it. */
export function withRuns(invocation: Invocation, work: (session: RunSession) => Promise<ExitCode>): Promise<ExitCode> {
  return invocation.server === undefined ? withLocalRuns(invocation, work) : withRemoteRuns(invocation, work);
}

/** The same for the workspace here. */
export async function withLocalRuns(
  invocation: Invocation,
  work: (session: LocalSession) => Promise<ExitCode>,
  persistence: RunPersistence = "durable",
): Promise<ExitCode> {
  const interrupts = watchInterrupts((code) => releaseAndExit(session, code));
  let session: LocalSession | undefined;
  const opened = await openForRuns(invocation, persistence);
  try {
    session = sessionOf(opened, invocation, interrupts);
    return await untilStopped(session, work);
  } finally {
    await opened.close();
    interrupts.dispose();
  }
}

/** The same for the workspace of the server. */
export async function withRemoteRuns(
  invocation: Invocation,
  work: (session: RemoteSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  const interrupts = watchInterrupts((code) => releaseAndExit(session, code));
  const { openRemote } = await import("../remote/open-remote.ts");
  const workspace = openRemote(invocation);
  const session: RemoteSession = {
    ...newSession(invocation, interrupts),
    workspace,
    local: undefined,
    notStored: undefined,
  };
  try {
    return await untilStopped(session, work);
  } finally {
    interrupts.dispose();
  }
}

/** Throws if a part of the workspace here is not trusted, and warns about its rules that match no tool. */
export function checkLocal({ local, invocation }: RunSession): void {
  if (local === undefined) return;
  requireTrust(local);
  warnUnmatchedRules(local, invocation);
}

/** Opens the workspace here, for several runs one after another; see {@link withSession}. */
export function openForRuns(
  { terminal }: Pick<Invocation, "terminal">,
  persistence: RunPersistence = "durable",
): Promise<OpenedHere> {
  return openHere(terminal, {
    store: persistence === "none" ? "memory" : "sqlite",
    executes: "the run",
    orInMemory: ({ code }) => persistence === "if-possible" && code.startsWith("store_"),
  });
}

/** Runs the work of one turn. Ctrl-C stops this turn only, not the following ones. */
export async function withSession(
  opened: OpenedHere,
  invocation: Invocation,
  work: (session: LocalSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  const interrupts = watchInterrupts((code) => releaseAndExit(session, code));
  const session = sessionOf(opened, invocation, interrupts);
  try {
    return await untilStopped(session, work);
  } finally {
    interrupts.dispose();
  }
}

function sessionOf({ workspace, notStored }: OpenedHere, invocation: Invocation, interrupts: Interrupts): LocalSession {
  return { ...newSession(invocation, interrupts), workspace, local: workspace, notStored };
}

function newSession(
  invocation: Invocation,
  interrupts: Interrupts,
): Omit<RunSession, "local" | "notStored" | "workspace"> {
  return {
    invocation,
    interrupts,
    runId: undefined,
    cancelling: undefined,
    isReleasing: false,
    language: "en",
    decidedElsewhere: false,
  };
}

async function untilStopped<Session extends RunSession>(
  session: Session,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { interrupts, invocation, workspace } = session;
  const reportThrown = watchToolErrors(workspace.engine, invocation.terminal);
  try {
    return await work(session);
  } catch (error) {
    if (interrupts.code === undefined || !isFailureError(error) || error.code !== "cancelled") throw error;
    reportFormattedError(invocation.terminal, { message: error.message, code: error.code });
    return interrupts.code;
  } finally {
    reportThrown();
  }
}

/** The second Ctrl-C: exits without waiting. The journal remains, so that another process can resume the run. */
function releaseAndExit(session: RunSession | undefined, code: ExitCode): void {
  if (session?.runId === undefined || session.isReleasing) endProcess(code);
  session.isReleasing = true;
  const { invocation, runId, cancelling } = session;
  // The cancellation is being persisted, which takes very little time; the message must be true.
  const known = Promise.race([cancelling ?? false, new Promise<false>((done) => setTimeout(done, 1000, false))]);
  void known.then((isCancelled) => {
    const hint = isCancelled ? "Complete the cancellation with" : "Continue with";
    invocation.terminal.log(`Exited immediately. ${hint}: ${commandLine(invocation, "resume", runId)}`);
    endProcess(code);
  });
}

/** Options of {@link followRun}. */
export interface FollowOptions {
  /** True if the run is durable, so that another process can resume it. */
  readonly durable: boolean;
  /** Requests approvals. Default: prompts at the terminal. */
  readonly requestApproval?: ExecuteRunOptions["requestApproval"];
}

/** The decision that was made elsewhere on an approval that was prompted for here; undefined if there is none. */
export async function decidedElsewhere(session: RunSession, { id }: Approval): Promise<Approval | undefined> {
  // Cancelling the run withdraws its approvals.
  if (session.interrupts.code !== undefined) return undefined;
  const approval = await session.workspace.approvals.find(id);
  if (approval === undefined || approval.status === "pending") return undefined;
  session.decidedElsewhere = true;
  return approval;
}

/** Executes a run and shows its progress, until it ends or waits for approval. */
export async function followRun<Result extends ChainRunResult>(
  session: RunSession,
  { durable, requestApproval }: FollowOptions,
  execute: (how: ExecuteRunOptions) => Promise<Result>,
): Promise<Result> {
  const view = viewFor(session);
  const stopWaiting = reportWaitingForOwner(session);
  try {
    return await execute({
      ...executeOptions(session, view, { durable, ...(requestApproval && { requestApproval }) }),
      onNotice: noticesOf(session.invocation),
      onEvent: (event) => {
        stopWaiting();
        if (durable) session.runId = event.runId;
        view.onEvent(event);
      },
    });
  } finally {
    stopWaiting();
    session.runId = undefined;
    view.close();
  }
}

/** Arms the interrupts for a run, and returns the options to execute it here, with prompts at the terminal. */
export function executeOptions(
  session: RunSession,
  view: Pick<RunView, "pause">,
  { durable, requestApproval }: FollowOptions,
): Pick<ExecuteRunOptions, "signal" | "requestApproval" | "elicit"> {
  const { interrupts } = session;
  const { terminal } = session.invocation;
  interrupts.arm({
    onStop: () => stop(session, durable),
    onTerminate: durable ? () => releaseRun(session) : undefined,
  });
  const how = { terminal, view, by: userName(), durable, decidedElsewhere: decidedElsewhere.bind(null, session) };
  const approver = requestApproval ?? (terminal.interactive ? promptRunApproval(how) : undefined);
  return {
    signal: interrupts.signal,
    ...(approver !== undefined && { requestApproval: approver }),
    ...(terminal.interactive && { elicit: elicitAtTerminal({ terminal, pause: () => view.pause() }) }),
  };
}

/** Reports notices about a run, each once. */
export function noticesOf({ terminal }: Invocation): (message: string) => void {
  const report = new Set<string>();
  return (message) => {
    if (!report.has(message)) terminal.log(`${terminal.tint("yellow", "note:")} ${toOneLine(message)}`);
    report.add(message);
  };
}

/** Ctrl-C: cancels the run and runs its compensations. */
function stop(session: RunSession, durable: boolean): void {
  const { invocation, workspace, runId } = session;
  const again = durable
    ? "press Ctrl-C again to exit immediately (resume later)"
    : "press Ctrl-C again to exit immediately";
  invocation.terminal.log(`Cancelling the run; ${again}.`);
  if (!durable || runId === undefined) return;
  // The run itself is already aborted; this persists the cancellation for the next process, in case the run is released
  // before it could do so itself.
  session.cancelling = workspace.runs.cancel(runId, userName()).catch(() => false);
}

/** A request to terminate, for example from a service manager, concerns this process, not the run. */
function releaseRun({ invocation, workspace, local }: RunSession): void {
  const whatHappens = local === undefined ? "The run continues on the server." : releasing;
  invocation.terminal.log(whatHappens);
  void workspace.runs.close();
}

const releasing = "Releasing the run: running calls may finish, no new ones start.";

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

/** A run that another process holds emits no events here, so the wait is shown instead. */
function reportWaitingForOwner({ invocation: { terminal } }: RunSession): () => void {
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

/** Redacts the secrets in an event, so that it can be shown. */
export function redactEvent(event: RunEvent, redactor: Pick<Redactor, "text" | "value">): RunEvent {
  switch (event.type) {
    case "step-progress":
      // In this order: half of a secret would not be recognized.
      return { ...event, value: shortText(redactor.value(event.value)) };
    case "step-suspended":
      return { ...event, message: redactor.text(event.message) };
    case "step-retrying":
    case "step-fallback":
      return { ...event, error: redacted(event.error, redactor) };
    case "step-finished":
    case "run-finished":
      return event.error === undefined ? event : { ...event, error: redacted(event.error, redactor) };
    default:
      return event satisfies CleanEvent;
  }
}

/** An event without texts of tools. */
type CleanEvent = Extract<
  RunEvent,
  {
    readonly type:
      | "run-started"
      | "step-started"
      | "step-waiting"
      | "step-approval-decided"
      | "item-started"
      | "item-finished";
  }
>;

function redacted(error: Failure, redactor: Pick<Redactor, "text">): Failure {
  return { ...error, message: redactor.text(error.message) };
}
