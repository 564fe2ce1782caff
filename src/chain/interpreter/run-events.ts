import type { Failure } from "../../base/index.ts";
import type { RunStatus } from "../../store/index.ts";
import type { SkipReason, StepStatus } from "./step-state.ts";

interface StepEvent {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly runId: string;
  /** `search`, or `research/search` inside of a sub-chain. */
  readonly step: string;
  readonly tool: string;
  /** It happened in an earlier process of the run. */
  readonly replayed: boolean;
}

interface ItemEvent extends StepEvent {
  /** The item of a `for_each`, from 0. */
  readonly item?: number;
}

/** Events that a run emits while it is running. */
export type RunEvent =
  | {
      readonly type: "run-started";
      readonly at: number;
      readonly runId: string;
      readonly chain: string;
      readonly steps: readonly string[];
      readonly replayed: boolean;
    }
  | (StepEvent & {
      /** Emitted twice if the step was running when an earlier process ended: replayed, and when it runs again. */
      readonly type: "step-started";
      readonly input: unknown;
      /** An approval is requested before anything is called. */
      readonly needsApproval?: true;
    })
  | (ItemEvent & { readonly type: "step-progress"; readonly value: unknown })
  | (ItemEvent & {
      readonly type: "step-retrying";
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: Failure;
    })
  | (ItemEvent & { readonly type: "step-fallback"; readonly fallbackTool: string; readonly error: Failure })
  | (StepEvent & { readonly type: "step-suspended"; readonly approvalId: string | undefined; readonly message: string })
  | (StepEvent & {
      /** The step waits for a time or an event. */
      readonly type: "step-waiting";
      /** The name of the event. */
      readonly event: string | undefined;
      /** End of the wait in epoch milliseconds. */
      readonly until: number | undefined;
    })
  | (StepEvent & {
      readonly type: "step-approval-decided";
      readonly approvalId: string;
      readonly status: "approved" | "rejected" | "expired";
      readonly by: string | undefined;
    })
  | (StepEvent & { readonly type: "item-started"; readonly item: number; readonly of: number })
  | (StepEvent & {
      readonly type: "item-finished";
      readonly item: number;
      readonly of: number;
      readonly status: StepStatus;
    })
  | (StepEvent & {
      readonly type: "step-finished";
      readonly status: StepStatus;
      /** Without the time in `queuedMs`. */
      readonly durationMs: number;
      /** Time that it waited for slots of the engine or for decisions, if it did. */
      readonly queuedMs?: number;
      readonly attempts: number;
      readonly cached: boolean;
      readonly output: unknown;
      readonly error: Failure | undefined;
      readonly skip: SkipReason | undefined;
      /** Its call was withheld by a dry run. */
      readonly dryRun?: true;
    })
  | {
      readonly type: "run-finished";
      readonly at: number;
      readonly runId: string;
      readonly chain: string;
      readonly status: RunStatus;
      readonly durationMs: number;
      readonly output: unknown;
      readonly error: Failure | undefined;
    };

/** The kinds of {@link RunEvent}. */
export type RunEventType = RunEvent["type"];

/** Receives the events of a run; must not throw. */
export type RunListener = (event: RunEvent) => void;
