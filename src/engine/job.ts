import type { AnyTool, CallTool, Effect, Registration } from "../tool/index.ts";
import type { CallContext } from "./call-context.ts";
import type { CallHandle } from "./call-hooks.ts";

/** The work of one call: which tool, with what, under which limits. */
export interface Job {
  readonly tool: AnyTool;
  readonly args: unknown;
  readonly effect: Effect;
  readonly callId: string;
  readonly idempotencyKey: string;
  /** When everything before the execution was done, by the clock's elapsed time. */
  readonly readyAt: number;
  /** The caller has its result; equal calls may still wait for this work. */
  readonly isSettled: boolean;
  readonly context: CallContext;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** A nested call runs under its root's global place. */
  readonly nested: boolean;
  /** Where the tool came from. */
  readonly registration: Registration | undefined;
  /** What it is a part of. */
  readonly parent: Job | undefined;
  /** Before the first attempt. */
  started(queuedMs: number): void;
  /** Only for composites. */
  callTool: CallTool | undefined;
  /** Text from outside is in its arguments, perhaps, for a model that reads them. */
  readonly taintsReading: boolean;
  beginChild(target: string | AnyTool, args: unknown, more: CallContext): CallHandle;
  /** The attempt is over: whatever it started must not outlive it. */
  stopChildren(): void;
  /** Another attempt is coming: its arguments are made anew. */
  renewArgs(): void | Promise<void>;
}

/** Does it only choose what runs? */
export function isChoice({ registration }: Pick<Job, "registration">): boolean {
  return registration?.chooses === true;
}
