import type {
  AnyTool,
  CallTool,
  CompositeContext,
  Log,
  ElicitRequest,
  ElicitResult,
  Secrets,
  ToolContext,
  ToolResult,
} from "../tool/index.ts";
import { callerPathBelow, canElicitApproval } from "./call-context.ts";
import type { CallInternals } from "./internals.ts";
import type { Execution } from "./execution.ts";
import { type Job, coveredBy, taintsReading, uncleared } from "./job.ts";
import { nestedPermission } from "./decide-permission.ts";

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
    const { job } = this.#execution;
    // Only composites have it in their type; a handler in plain JavaScript gets an explanation.
    const call = async (target: string | AnyTool, args: unknown): Promise<ToolResult> => {
      if (!job.tool.composite) throw new TypeError("only a tool defined with composite: true has ctx.callTool");
      return job.beginChild(target, args, {}).run();
    };
    // Both signatures use the same implementation.
    return call as CallTool;
  }

  /** @internal For `internals()`. */
  get internals(): CallInternals {
    return internalsOf(this.#execution, this);
  }
}

function internalsOf({ core, job }: Execution, handler: HandlerContext): CallInternals {
  const { context } = job;
  const { callerType = "direct", callerPath, onProgress, hooks, principal, account, reuse, workflowId } = context;
  const caller = { callerType, callerPath, indirect: job.isIndirect };
  const path = [...pathToRoot(job)];
  return {
    beginCall: (target, args, more) => job.beginChild(target, args, more),
    denies: core.denies,
    decidePermission: (subject) => nestedPermission(core, { ...subject, ...caller }, context),
    callerPath: callerPathBelow(context),
    callers: new Set(path.slice(1).map(({ tool }) => tool)),
    isModelInitiated: path.some(
      ({ context: { callerType: by } }) => by === "conversation_agent" || by === "mcp_client",
    ),
    covered: coveredBy(job),
    isTainted: taintsReading(job),
    untrusted: uncleared(job),
    elicitApproval: canElicitApproval(context) ? handler.elicit : undefined,
    progress: onProgress === undefined && hooks?.progress === undefined ? undefined : handler.progress,
    principal,
    account,
    reuse,
    runId: workflowId,
    step: path.find((each) => each.context.hooks?.step !== undefined)?.context.hooks?.step,
  };
}

/** The call and those that contain it, the root last. */
function* pathToRoot(job: Job): Generator<Job> {
  for (let each: Job | undefined = job; each !== undefined; each = each.parent) yield each;
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
