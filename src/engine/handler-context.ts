import type {
  AnyTool,
  CallTool,
  CompositeContext,
  Log,
  Question,
  QuestionAnswer,
  Secrets,
  ToolContext,
} from "../tool/index.ts";
import type { Account, CallContext } from "./call-context.ts";
import type { BeginCall, CallStep, Rulings } from "./call-hooks.ts";
import type { Denies } from "./denials.ts";
import type { Execution } from "./execution.ts";
import type { Job } from "./job.ts";
import { permissionFor } from "./rule-on.ts";
import { whileAsking } from "./while-asking.ts";

/** What a handler sees of its execution. Everything is made on first use: most handlers want none of it. */
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
    return this.#execution.attempts;
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

  // The functions are getters, so that a handler may take them out of the context.

  get log(): Log {
    return (message, data) => this.#execution.log(message, data);
  }

  get progress(): (value: unknown) => void {
    return (value) => this.#execution.progress(value);
  }

  get report(): (facts: Readonly<Record<string, unknown>>) => void {
    return (facts) => this.#execution.report(facts);
  }

  get elicit(): (question: Question) => Promise<QuestionAnswer> {
    return async (question) => {
      const { elicit } = this.#execution.job.context;
      if (elicit !== undefined) return whileAsking(this.#execution, () => elicit(question, this.signal));
      this.#execution.log("a question was declined, since nobody can be asked here", { question: question.message });
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
    return this.canElicit && this.#execution.job.context.elicit?.approves !== false;
  }

  /** @internal For `progressOf`. */
  get isHeard(): boolean {
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

  /** @internal For `isByModel`. */
  get byModel(): boolean {
    for (let { job }: { job: Job | undefined } = this.#execution; job !== undefined; job = job.parent) {
      const { callerType } = job.context;
      if (callerType === "conversation_agent" || callerType === "mcp_client") return true;
    }
    return false;
  }

  /** @internal For `stepOf`. */
  get step(): CallStep | undefined {
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
  get denies(): Denies | undefined {
    return this.#execution.core.denies;
  }

  /** @internal For `rulingsOf`. */
  get rulings(): Rulings {
    const { core, job } = this.#execution;
    const callerType = job.context.callerType ?? "direct";
    return (subject) => permissionFor(core, { ...subject, callerType }, job.context);
  }

  /** @internal For `nestedCalls`. */
  get beginCall(): BeginCall {
    return (target, args, context) => this.#execution.job.beginChild(target, args, context);
  }
}
