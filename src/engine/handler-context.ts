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
import type { BeginCall, JournaledCall, DecidePermission } from "./internals.ts";
import type { FindDenial } from "./denials.ts";
import type { Execution } from "./execution.ts";
import type { Job } from "./job.ts";
import { nestedPermission } from "./decide-permission.ts";
import { type UntrustedArguments, untrustedArgumentsOf } from "./untrusted-targets.ts";

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

  /** @internal For `elicitOf`. */
  get canElicit(): boolean {
    return this.#execution.job.context.elicit !== undefined;
  }

  /** @internal For `approvingElicitOf`. */
  get canApprove(): boolean {
    return canElicitApproval(this.#execution.job.context);
  }

  /** @internal For `progressOf`. */
  get hasProgressListener(): boolean {
    const { onProgress, hooks } = this.#execution.job.context;
    return onProgress !== undefined || hooks?.progress !== undefined;
  }

  /** @internal For `principalOf`. */
  get principal(): string | undefined {
    return this.#execution.job.context.principal;
  }

  /** @internal For `isTainted`. */
  get tainted(): boolean {
    return this.#execution.job.taintsReading;
  }

  /** @internal For `untrustedOf`. */
  get untrusted(): UntrustedArguments | undefined {
    const { cleared, context } = this.#execution.job;
    return cleared === undefined ? untrustedArgumentsOf(context) : undefined;
  }

  /** @internal For `isModelInitiated`. */
  get byModel(): boolean {
    for (let { job }: { job: Job | undefined } = this.#execution; job !== undefined; job = job.parent) {
      const { callerType } = job.context;
      if (callerType === "conversation_agent" || callerType === "mcp_client") return true;
    }
    return false;
  }

  /** @internal For `callerPathOf`. */
  get callerPath(): readonly CallerType[] {
    return callerPathBelow(this.#execution.job.context);
  }

  /** @internal For `coveredBy`. */
  get covered(): readonly string[] | undefined {
    const { covered, context } = this.#execution.job;
    return covered ?? context.covered;
  }

  /** @internal For `stepOf`. */
  get step(): JournaledCall | undefined {
    let { job }: { job: Job | undefined } = this.#execution;
    while (job !== undefined && job.context.hooks?.step === undefined) job = job.parent;
    return job?.context.hooks?.step;
  }

  /** @internal For `runOf`. */
  get workflowId(): string | undefined {
    return this.#execution.job.context.workflowId;
  }

  /** @internal For `accountOf`. */
  get account(): Account | undefined {
    return this.#execution.job.context.account;
  }

  /** @internal For `callersOf`. */
  get callers(): ReadonlySet<AnyTool> {
    const tools = new Set<AnyTool>();
    for (let { parent } = this.#execution.job; parent !== undefined; { parent } = parent) tools.add(parent.tool);
    return tools;
  }

  /** @internal For `reuseOf`. */
  get reuse(): CallContext["reuse"] {
    return this.#execution.job.context.reuse;
  }

  /** @internal For `denialsOf`. */
  get denies(): FindDenial | undefined {
    return this.#execution.core.denies;
  }

  /** @internal For `permissionsOf`. */
  get rulings(): DecidePermission {
    const { core, job } = this.#execution;
    const { callerType = "direct", callerPath } = job.context;
    const caller = { callerType, callerPath, indirect: job.isIndirect };
    return (subject) => nestedPermission(core, { ...subject, ...caller }, job.context);
  }

  /** @internal For `nestedCalls`. */
  get beginCall(): BeginCall {
    return (target, args, context) => this.#execution.job.beginChild(target, args, context);
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
