import {
  type InspectedRun,
  findWorkspace,
  inspectAgentRun,
  inspectRun,
  listOpenApprovals,
  pathExists,
} from "../../app/index.ts";
import { type RunKindId, type StoredRun, isFinished } from "../../store/index.ts";
import { suggest } from "../../text/index.ts";
import { describeApproval } from "../approvals/describe-approval.ts";
import { journalFile, withRunData } from "../open/open-journal.ts";
import type { RunSession } from "../open/run-session.ts";
import type { RunWorkspace } from "../remote/run-workspace.ts";
import { type ExitCode, exitCodes } from "../program/exit-codes.ts";
import { type Invocation, commandLine, shellWord } from "../program/invocation.ts";
import { UsageError } from "../program/usage-error.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { safeJson } from "../terminal/safe-json.ts";
import { openHere } from "../open/open-here.ts";

/** A run to show. */
export interface ShownRun extends Omit<InspectedRun, "workspace"> {
  readonly workspace: RunWorkspace;
  /** The prompt, the steps and the answer of an agent's run. */
  readonly agentDetails: () => ReturnType<typeof inspectAgentRun>;
}

/** Implementation of the run commands for runs of one kind. */
export interface RunKindCommands<Result> {
  /** Resumes a run in this process and shows its progress, until it ends or waits for approval. */
  resume(session: RunSession, run: StoredRun): Promise<Result>;
  /** Prints the result of a resumed run, reports what to do next, and returns the exit code. */
  report(result: Result, session: RunSession, options: ReportResumedOptions): Promise<ExitCode>;
  /** Returns the result of a run, or its state so far; executes nothing. */
  inspect(workspace: RunWorkspace, runId: string): Promise<Result>;
  /** Cancels a run in any process. False if it has already ended. */
  cancel(workspace: RunWorkspace, runId: string, by: string | undefined): Promise<boolean>;
  /** Reports a run after {@link RunKindCommands.cancel}. */
  reportCancelled(result: Result, session: RunSession, how: CancelledRun): Promise<ExitCode>;
  /** `windlass show`. */
  show(invocation: Invocation, shown: ShownRun): Promise<void>;
  /** The command that does the same again. If omitted, `rerun` does. */
  repeat?(run: StoredRun, workspace: RunWorkspace): readonly string[];
}

/** Options of reporting a run that was resumed. */
export interface ReportResumedOptions {
  /** True if an approval was rejected: if the run ended because of it, the command itself did not fail. */
  readonly refused?: boolean;
  /** Additional fields of the `--json` output. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A run after `cancel`. */
export interface CancelledRun {
  /** False if the run had already ended. */
  readonly isRequested: boolean;
  readonly run: StoredRun;
}

/** The kinds are loaded when a run of them is first used. */
const kinds: Readonly<Record<RunKindId, () => Promise<RunKindCommands<unknown>>>> = {
  chain: async () => (await import("./chain-run.ts")).chainRuns,
  agent: async () => (await import("./agent-run.ts")).agentRuns,
  call: async () => (await import("./call-run.ts")).callRuns,
};

/** Commands for runs of the kind of this one. */
export function commandsFor({ kind }: Pick<StoredRun, "kind">): Promise<RunKindCommands<unknown>> {
  return kinds[kind]();
}

/** The stored run with this id. The error for an unknown one suggests similar ids. */
export async function requireRun(
  workspace: Pick<RunWorkspace, "store">,
  { id, invocation }: NamedRun,
): Promise<StoredRun> {
  const found = await workspace.store?.runs.read(id);
  if (found !== undefined) return found.run;
  throw await unknownRun(workspace, { id, invocation });
}

interface NamedRun {
  readonly id: string;
  readonly invocation: Invocation;
}

async function unknownRun({ store }: Pick<RunWorkspace, "store">, { id, invocation }: NamedRun): Promise<UsageError> {
  const known = ((await store?.runs.list({ limit: 1000 })) ?? []).map((run) => run.id);
  const near = suggest(id, known);
  const list = known.length === 0 ? "no runs yet" : `list runs with: ${commandLine(invocation, "runs")}`;
  return new UsageError(`there is no run ${JSON.stringify(id)}`, near === undefined ? list : `did you mean ${near}?`);
}

/** The id of the newest run; a run that is called `last` itself is meant by its id. */
export function findLastRun(invocation: Invocation): Promise<string> {
  return withRunData(invocation, async ({ store }) => {
    if ((await store?.runs.read("last")) !== undefined) return "last";
    const [newest] = (await store?.runs.list({ limit: 1 })) ?? [];
    if (newest === undefined) throw new UsageError("there is no last run", "no runs yet");
    return newest.id;
  });
}

/** Resumes a run of any kind in this process, and reports its result. */
export async function resumeRun(
  session: RunSession,
  id: string,
  options: ReportResumedOptions = {},
): Promise<ExitCode> {
  const run = await requireRun(session.workspace, { id, invocation: session.invocation });
  const commands = await commandsFor(run);
  return commands.report(await commands.resume(session, run), session, options);
}

/** Shows the approvals that a run waits for, or how to resume it if it waits for none. */
export async function reportWhatItWaitsFor(
  invocation: Invocation,
  { workspace, run, isInterrupted }: ShownRun,
): Promise<void> {
  const { terminal } = invocation;
  const approvals = isFinished(run.status) ? [] : await listOpenApprovals(workspace, run.id);
  for (const approval of approvals) {
    terminal.log(`waiting: ${describeApproval(approval)}`);
    terminal.log(`  ${terminal.tint("bold", toOneLine(approval.tool))} ${safeJson(approval.args, 0)}`);
    terminal.log(`  ${terminal.tint("cyan", `approve with: ${commandLine(invocation, "approve", approval.id)}`)}`);
  }
  for (const { name } of run.status === "waiting" ? (run.waitsFor?.events ?? []) : []) {
    const send = commandLine(invocation, "event", run.id, shellWord(toOneLine(name)), "DATA");
    terminal.log(terminal.tint("cyan", `deliver the event with: ${send}`));
  }
  if (isInterrupted || (run.status === "waiting" && approvals.length === 0))
    terminal.log(terminal.tint("cyan", `resume it with: ${commandLine(invocation, "resume", run.id)}`));
}

/** Reports a cancelled run whose calls are not compensated. */
export async function reportCancelledCalls(
  wire: Readonly<Record<string, unknown>>,
  { invocation, interrupts }: RunSession,
  { isRequested, run: { id, status } }: CancelledRun,
): Promise<ExitCode> {
  const { terminal } = invocation;
  if (invocation.flag("json")) terminal.print(safeJson(wire));
  if (!isRequested) {
    terminal.log(`Run ${id} had already ended.`);
    return status === "cancelled" ? exitCodes.ok : exitCodes.failed;
  }
  if (status === "cancelled") {
    terminal.log(`Run ${id} is cancelled; the effects of its completed calls remain.`);
    return exitCodes.ok;
  }
  const where = status === "running" ? "is being cancelled" : `has ended: ${status}`;
  terminal.log(`Run ${id} ${where}; for details: ${commandLine(invocation, "show", id)}`);
  return status === "running" ? (interrupts.code ?? exitCodes.ok) : exitCodes.failed;
}

/** Opens the workspace here to inspect a run, by default the one that the first word names; nothing is executed. */
export async function withInspectedRun<T>(
  invocation: Invocation,
  work: (inspected: InspectedRun) => Promise<T>,
  id: string = invocation.words[0] ?? "",
): Promise<T> {
  // Inspecting does not create a database.
  if (!(await pathExists(journalFile(await findWorkspace("."))))) {
    throw new UsageError(`there is no run ${JSON.stringify(id)}`, "no runs yet");
  }
  const { workspace, close } = await openHere(invocation.terminal, { store: "read-only" });
  try {
    const inspected = await inspectRun(workspace, id);
    if (inspected === undefined) throw await unknownRun(workspace, { id, invocation });
    return await work(inspected);
  } finally {
    await close();
  }
}

/** The same for a command that shows a run, also one of a server. */
export async function withShownRun<T>(invocation: Invocation, work: (shown: ShownRun) => Promise<T>): Promise<T> {
  if (invocation.server === undefined)
    return withInspectedRun(invocation, (inspected) =>
      work({ ...inspected, agentDetails: () => inspectAgentRun(inspected) }),
    );
  const [{ openRemote }, { toStoredRun }] = await Promise.all([
    import("../remote/open-remote.ts"),
    import("../remote/from-wire.ts"),
  ]);
  const workspace = openRemote(invocation);
  const [id = ""] = invocation.words;
  const found = await workspace.store.runs.find(id);
  if (found === undefined) throw await unknownRun(workspace, { id, invocation });
  return work({
    workspace,
    run: toStoredRun(found),
    isInterrupted: found.interrupted === true,
    agentDetails: () => workspace.agentDetails(id),
  });
}
