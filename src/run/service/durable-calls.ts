import {
  type Failure,
  type FailureError,
  checkJson,
  cliCommand,
  fail,
  failure,
  isFailureError,
} from "../../base/index.ts";
import type { Engine } from "../../engine/index.ts";
import type {
  Approval,
  CallerType,
  Decision,
  NewRun,
  RunEnd,
  RunRecording,
  RunStatus,
  StoredRun,
} from "../../store/index.ts";
import { type Effect, type ToolResult, fingerprintTool } from "../../tool/index.ts";
import { engineRunner } from "../host/engine-runner.ts";
import type { Host, HostOutcome } from "../host.ts";
import { callWithApproval, approvalPromptOf } from "../program/call-with-approval.ts";
import { EffectRunner, type ProgramOutcome } from "../program/effect-runner.ts";
import { type RunProgram, createToolResult, performCall, recordValue } from "../program/run-effect.ts";
import type { RunRef } from "./run-client.ts";
import {
  type DrivenRun,
  type HeldRun,
  type PreparedRun,
  type RunExecuteOptions,
  type RunExecution,
  type RunKind,
  cancellerOf,
} from "./run-kind.ts";
import { type RunService, type RunServiceSource, runServiceOf } from "./run-service.ts";
import type { RunInput } from "./same-run.ts";

/** Options of a durable call. */
export interface DurableCallOptions extends RunExecuteOptions {
  /**
   * Letters, digits and `._-`, beginning with a letter or digit. The same id with the same tool, arguments and principal
   * joins the call that has it.
   */
  readonly runId?: string;
  /** The caller, whose permission rules apply. Default: `direct`. */
  readonly callerType?: CallerType;
  readonly principal?: string;
  readonly conversationId?: string;
  /** Maximum duration of one execution of the tool. Default: that of the tool. */
  readonly timeoutMs?: number;
  /** Untrusted content may have caused the call, or is in its arguments. */
  readonly tainted?: boolean;
  /** Receives the values that the tool reports while it runs. */
  readonly onProgress?: (value: unknown) => void;
}

/** State of a durable call. */
export interface DurableCallResult {
  readonly runId: string;
  readonly status: RunStatus;
  readonly tool: string;
  /** Undefined until the call has ended. */
  readonly result?: ToolResult;
}

/** A call to be made. */
interface CallSpec {
  readonly tool: string;
  readonly args: unknown;
  readonly options: DurableCallOptions;
}

/** Its caller, as it is stored. */
type CallEnvironment = Pick<
  DurableCallOptions,
  "callerType" | "principal" | "conversationId" | "timeoutMs" | "tainted"
>;

/** Format of keys and outcomes in the journal. A call of another format cannot be resumed. */
const callFormat = 1;
/** Key of the call in its journal. */
const callKey = "call";
/** Key of the fingerprint of its tool, if the process that submitted it did not have the tool. */
const toolKey = "tool";

/**
 * Calls of one tool that survive their process: the call is journaled, waits for an approval without a process, and is
 * resumed by another process. A `once` tool that was running when its process ended is not run again without a
 * decision.
 *
 * @see docs/guide/durable-runs.md
 *
 * @example
 * ```ts
 * const { status, result } = await workspace.calls.start("write_file", { path: "a.txt", content: "x" }, { runId: "w1" });
 * ```
 */
export class DurableCalls {
  readonly #service: RunService;
  readonly #kind: CallRunKind;

  constructor(parts: { readonly engine: Engine } & RunServiceSource) {
    this.#service = runServiceOf(parts, parts.engine);
    this.#kind = new CallRunKind(parts.engine, this.#service);
    this.#service.register(this.#kind);
  }

  /** Makes a call, or joins the call with this id. */
  start(tool: string, args: unknown, options: DurableCallOptions = {}): Promise<DurableCallResult> {
    return this.#service.start(this.#kind, { tool, args, options }, options);
  }

  /** Stores a call for a process that serves runs, and returns at once. */
  submit(tool: string, args: unknown, options: DurableCallOptions = {}): Promise<RunRef> {
    return this.#service.submit(this.#kind, { tool, args, options }, options);
  }

  /** Resumes a call that waited, or whose process has ended. For a call that has ended, returns its result. */
  resume(runId: string, options: DurableCallOptions = {}): Promise<DurableCallResult> {
    return this.#service.resume(this.#kind, runId, options);
  }

  /** Waits until a call has ended or waits for a person; executes nothing. */
  result(runId: string, signal?: AbortSignal): Promise<DurableCallResult> {
    return this.#service.result(this.#kind, runId, signal);
  }

  /** Returns the state of a call; executes nothing. */
  async inspect(runId: string): Promise<DurableCallResult> {
    return this.#kind.describe(await this.#service.read(this.#kind, runId));
  }

  /** Records a person's decision, and wakes the runs that wait for it. Throws if it does not count. */
  decide(approvalId: string, decision: Decision): Promise<Approval> {
    return this.#service.decide(approvalId, decision);
  }

  /** Cancels a call in any process; one that no process executes ends at once. False if it has already ended. */
  async cancel(runId: string, by?: string): Promise<boolean> {
    if (!(await this.#service.cancel(runId, by))) {
      await this.#service.checkExists(runId);
      return false;
    }
    await this.#service.endCancelled(this.#kind, runId, {});
    return true;
  }

  /** Waits up to `drainMs` for running calls, and releases the rest for other processes. Default: 5 s. */
  close(drainMs?: number): Promise<void> {
    return this.#service.close(drainMs);
  }
}

/** Runs that consist of one call. */
class CallRunKind implements RunKind<CallSpec, DurableCallOptions, DurableCallResult> {
  readonly id = "call";
  // Arguments are data: an expression in them is never evaluated.
  readonly usesSecrets = false;
  readonly #engine: Engine;
  readonly #service: RunService;

  constructor(engine: Engine, service: RunService) {
    this.#engine = engine;
    this.#service = service;
  }

  prepare({ tool, args, options }: CallSpec, how: DurableCallOptions): PreparedRun<DurableCallResult> {
    const { callerType, principal, conversationId, timeoutMs, tainted } = options;
    checkJson(args ?? {}, `the arguments of ${tool}`);
    const input = JSON.stringify(args ?? {});
    // The journal would redact it, so a resumed call could not pass it on.
    if (this.#engine.redactor.storedText(input) !== input) {
      const message = `the arguments of ${tool} contain a secret, which a durable call cannot store: call it in a chain with \${secret.NAME}`;
      throw fail(message, { code: "validation_error", reason: "secret_argument" });
    }
    const run = {
      id: this.#service.newRunId(options.runId),
      kind: this.id,
      name: tool,
      definition: JSON.stringify({ call: tool }),
      input,
      context: JSON.stringify({ callerType, principal, conversationId, timeoutMs, tainted }),
      format: callFormat,
      // Without the tool, the first process that executes the call records its own.
      fingerprints: JSON.stringify({ [tool]: this.#fingerprint(tool) ?? undefined }),
      startedAt: this.#service.clock.now(),
    } as const;
    return {
      run,
      program: (lease) => this.#program({ run: stored(run), events: [], lease, was: "running" }, how),
    };
  }

  inputOf({ input }: NewRun): RunInput {
    return { arguments: JSON.parse(input) };
  }

  program(held: HeldRun, options: DurableCallOptions): RunExecution<DurableCallResult> {
    const { id, name, cancelRequested, format } = held.run;
    const [bound, now] = [boundFingerprint(held), this.#fingerprint(name)];
    const refused = (message: string, reason: string): Error =>
      fail(`${message}, or cancel it with: ${cliCommand(`cancel ${id}`)}`, { code: "run_changed", reason });
    if (cancelRequested) return this.#program(held, options);
    if (now === null && bound !== null)
      throw refused(`there is no tool "${name}" here; let a process that has it make call ${id}`, "tool_missing");
    if (format !== callFormat || (bound !== undefined && bound !== now))
      throw refused(
        `the tool "${name}" has changed since call ${id} began; call it again under another id`,
        "tool_changed",
      );
    return this.#program(held, options);
  }

  async describe(stored: RunRecording): Promise<DurableCallResult> {
    const { run } = stored;
    const effects = new EffectRunner(this.#service.replayHost(stored));
    const outcome = await effects.run(callProgram(run, effects, { fingerprint: null }));
    return resultOf(run.status, run, outcome);
  }

  /** Null if there is no such tool. */
  #fingerprint(tool: string): string | null {
    const found = this.#engine.resolver.resolve(tool);
    return found === undefined ? null : fingerprintTool(found.tool);
  }

  #program(held: HeldRun, options: DurableCallOptions): RunExecution<DurableCallResult> {
    const { run, events } = held;
    const { id: runId } = run;
    const fingerprint = boundFingerprint(held) ?? this.#fingerprint(run.name);
    // Written by `prepare`.
    const environment = JSON.parse(run.context) as CallEnvironment;
    const { callerType = "direct", principal } = environment;
    const caller = { ...environment, callerType, callerId: runId, callerPath: [callerType], runId };
    return {
      startedAt: run.startedAt,
      events,
      principal,
      cancelledBy: cancellerOf(run),
      calls: {
        runner: engineRunner({ begin: (...call) => this.#engine.begin(...call), elicit: options.elicit }),
        request: (key, work) => ({ ...work, ...caller, key, fingerprint: fingerprint ?? undefined }),
      },
      drive: (host) => this.#drive(host, run, { ...options, fingerprint }),
    };
  }

  async #drive(host: Host, run: StoredRun, options: CallProgramOptions): Promise<DrivenRun<DurableCallResult>> {
    const effects = new EffectRunner(host);
    const outcome = await effects.run(callProgram(run, effects, options));
    const isCancelled = effects.cancelled !== undefined;
    const end = endOf(outcome, { at: this.#service.clock.now(), isCancelled });
    return { end, ended: (status) => resultOf(status, run, outcome) };
  }
}

/** A new run, as the journal returns it. */
function stored(run: NewRun): StoredRun {
  return { ...run, status: "running", cancelRequested: false, epoch: 1, deaths: 0 };
}

/**
 * The fingerprint of the tool that a call is made with: that of the process that submitted it, or else of the first one
 * that executed it. Null if that one did not have the tool, undefined if there is neither.
 */
function boundFingerprint({ run, events }: RunRecording): string | null | undefined {
  // Written by `prepare`, and by the program.
  const { [run.name]: submitted } = JSON.parse(run.fingerprints) as Readonly<Record<string, string>>;
  const recorded = events.find(({ kind, key }) => kind === "settled" && key === `${toolKey}#1`);
  const outcome = recorded?.data as HostOutcome | undefined;
  if (submitted !== undefined || outcome?.kind !== "call" || !outcome.result.success) return submitted;
  return outcome.result.output as string | null;
}

type CallProgramOptions = Pick<DurableCallOptions, "onProgress"> & { readonly fingerprint: string | null };

/** The call, and the approvals that it needs. */
function* callProgram(
  { id, name: tool, input, fingerprints }: StoredRun,
  effects: Pick<EffectRunner, "cancelled">,
  { onProgress, fingerprint }: CallProgramOptions,
): RunProgram<{ readonly result: ToolResult; readonly effect: Effect | undefined }> {
  if (fingerprints === "{}") yield* recordValue(toolKey, () => fingerprint);
  const args: unknown = JSON.parse(input);
  const call = {
    key: callKey,
    tool,
    args,
    idempotencyKey: id,
    isCancelled: () => effects.cancelled !== undefined,
    onProgress,
  };
  const first = yield* performCall(`${callKey}#1`, { tool, args, idempotencyKey: id }, { onProgress });
  if (first.kind === "call" && approvalPromptOf(call, first) === undefined) return first;
  return yield* callWithApproval(call, first);
}

type CallProgramOutcome = ProgramOutcome<{ readonly result: ToolResult }>;

function endOf(
  outcome: CallProgramOutcome,
  { at, isCancelled }: { readonly at: number; readonly isCancelled: boolean },
): RunEnd {
  switch (outcome.kind) {
    case "suspended":
      return { status: "waiting", at };
    case "broke":
      return { status: isCancelled ? "cancelled" : "failed", at, error: JSON.stringify(toFailure(outcome.error)) };
    case "done": {
      const { result } = outcome.value;
      if (result.success) return { status: "success", at, output: JSON.stringify(result.output ?? null) };
      return { status: isCancelled ? "cancelled" : "failed", at, error: JSON.stringify(result.error) };
    }
  }
}

function toFailure(error: unknown): ReturnType<FailureError["toFailure"]> {
  return isFailureError(error) ? error.toFailure() : failure("execution_error", String(error));
}

function resultOf(
  status: RunStatus,
  { id: runId, name: tool, error }: StoredRun,
  outcome: CallProgramOutcome,
): DurableCallResult {
  if (outcome.kind === "done") return { runId, status, tool, result: outcome.value.result };
  if (error === undefined) return { runId, status, tool };
  // The run has ended without an outcome of the call.
  return {
    runId,
    status,
    tool,
    result: createToolResult(tool, { success: false, error: JSON.parse(error) as Failure }),
  };
}
