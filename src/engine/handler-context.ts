import type {
  AnyTool,
  CallTool,
  CompositeContext,
  Log,
  ElicitRequest,
  ElicitResult,
  Secrets,
  ToolContext,
} from "../tool/index.ts";
import type { CallerType } from "../store/index.ts";
import { type Account, type CallContext, callerPathBelow, canElicitApproval } from "./call-context.ts";
import type { BeginCall, CallInternals, DecidePermission, JournaledCall } from "./internals.ts";
import type { FindDenial } from "./denials.ts";
import type { Execution } from "./execution.ts";
import { type Job, coveredBy, taintsReading, uncleared } from "./job.ts";
import { nestedPermission } from "./decide-permission.ts";
import type { UntrustedArguments } from "./untrusted-targets.ts";

/** The execution as seen by its handler. Everything is created on first use, because most handlers use none of it. */
export class HandlerContext implements ToolContext, CompositeContext {
  readonly #execution: Execution;

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  get callId(): string {
    return this.#execution.job.callId;
  }

  get signal(): AbortSignal {
    return this.#execution.signal();
  }

  get idempotencyKey(): string {
    return this.#execution.job.idempotencyKey;
  }

  get attempt(): number {
    const { attempts, job } = this.#execution;
    return attempts + (job.context.hooks?.earlierAttempts ?? 0);
  }

  get variables(): Record<string, unknown> {
    return this.#execution.variables();
  }

  get secrets(): Secrets {
    return this.#execution.core.secrets;
  }

  get conversationId(): string | undefined {
    return this.#execution.job.context.conversationId;
  }

  // The functions are getters, so that a handler can destructure the context.

  get log(): Log {
    return (message, data) => this.#execution.log(message, data);
  }

  get progress(): (value: unknown) => void {
    return (value) => this.#execution.progress(value);
  }

  get report(): (facts: Readonly<Record<string, unknown>>) => void {
    return (facts) => this.#execution.report(facts);
  }

  get elicit(): (approvalHandle: ElicitRequest) => Promise<ElicitResult> {
    return async (approvalHandle) => {
      const { elicit } = this.#execution.job.context;
      if (elicit !== undefined) return withPausedDeadline(this.#execution, () => elicit(approvalHandle, this.signal));
      this.#execution.log("an elicitation was declined because no one can answer it here", {
        elicitation: approvalHandle.message,
      });
      return { action: "decline" };
    };
  }

  get callTool(): CallTool {
    return this.#execution.callTool();
  }

  /** @internal For `internals()`. */
  get internals(): CallInternals {
    return new Internals(this.#execution, this);
  }
}

/** The internals of a call, for composites; like the context, everything is created on first use. */
class Internals implements CallInternals {
  readonly #execution: Execution;
  readonly #handler: HandlerContext;

  constructor(execution: Execution, handler: HandlerContext) {
    this.#execution = execution;
    this.#handler = handler;
  }

  get #job(): Job {
    return this.#execution.job;
  }

  get beginCall(): BeginCall {
    return (target, args, context) => this.#job.beginChild(target, args, context);
  }

  get denies(): FindDenial | undefined {
    return this.#execution.core.denies;
  }

  get decidePermission(): DecidePermission {
    const { context, isIndirect: indirect } = this.#job;
    const { callerType = "direct", callerPath } = context;
    const caller = { callerType, callerPath, indirect };
    return (subject) => nestedPermission(this.#execution.core, { ...subject, ...caller }, context);
  }

  get callerPath(): readonly CallerType[] {
    return callerPathBelow(this.#job.context);
  }

  get callers(): ReadonlySet<AnyTool> {
    return new Set(
      this.#path()
        .map(({ tool }) => tool)
        .slice(1),
    );
  }

  get isModelInitiated(): boolean {
    return this.#path().some(
      ({ context: { callerType } }) => callerType === "conversation_agent" || callerType === "mcp_client",
    );
  }

  get covered(): readonly string[] | undefined {
    return coveredBy(this.#job);
  }

  get isTainted(): boolean {
    return taintsReading(this.#job);
  }

  get untrusted(): UntrustedArguments | undefined {
    return uncleared(this.#job);
  }

  get elicitApproval(): CallInternals["elicitApproval"] {
    return canElicitApproval(this.#job.context) ? this.#handler.elicit : undefined;
  }

  get progress(): CallInternals["progress"] {
    const { onProgress, hooks } = this.#job.context;
    return onProgress === undefined && hooks?.progress === undefined ? undefined : this.#handler.progress;
  }

  get principal(): string | undefined {
    return this.#job.context.principal;
  }

  get account(): Account | undefined {
    return this.#job.context.account;
  }

  get reuse(): CallContext["reuse"] {
    return this.#job.context.reuse;
  }

  get runId(): string | undefined {
    return this.#job.context.workflowId;
  }

  get step(): JournaledCall | undefined {
    return this.#path().find(({ context }) => context.hooks?.step !== undefined)?.context.hooks?.step;
  }

  /** The call and those that contain it, the root last. */
  #path(): readonly Job[] {
    const path: Job[] = [];
    for (let job: Job | undefined = this.#job; job !== undefined; job = job.parent) path.push(job);
    return path;
  }
}

/** Elicits input from a person while the tool's deadline is paused: its remaining time continues after the response. */
async function withPausedDeadline<T>(execution: Execution, elicit: () => Promise<T>): Promise<T> {
  const request = elicit();
  // A handler that elicits before its first await is not pending yet.
  await Promise.resolve();
  const resumeDeadline = execution.pending?.pause();
  try {
    return await request;
  } finally {
    resumeDeadline?.();
  }
}
