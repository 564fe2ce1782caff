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
  /** It happened in an earlier life of the run. */
  readonly replayed: boolean;
}

/** What a run tells while it goes on. */
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
      readonly type: "step-started";
      readonly input: unknown;
      /** A person is asked before anything is called. */
      readonly asks?: true;
    })
  | (StepEvent & { readonly type: "step-progress"; readonly value: unknown })
  | (StepEvent & {
      readonly type: "step-retrying";
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: Failure;
    })
  | (StepEvent & { readonly type: "step-fallback"; readonly fallbackTool: string; readonly error: Failure })
  | (StepEvent & { readonly type: "step-waiting"; readonly approvalId: string | undefined; readonly message: string })
  | (StepEvent & {
      readonly type: "step-decided";
      readonly approvalId: string;
      readonly status: "approved" | "rejected" | "expired";
      readonly by: string | undefined;
    })
  | (StepEvent & {
      readonly type: "item-finished";
      readonly item: number;
      readonly of: number;
      readonly status: StepStatus;
    })
  | (StepEvent & {
      readonly type: "step-finished";
      readonly status: StepStatus;
      readonly durationMs: number;
      readonly attempts: number;
      readonly cached: boolean;
      readonly output: unknown;
      readonly error: Failure | undefined;
      readonly skip: SkipReason | undefined;
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

/** Told what happens in a run; must not throw. */
export type RunListener = (event: RunEvent) => void;
