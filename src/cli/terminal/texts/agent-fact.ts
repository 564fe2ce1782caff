import type { CallInitiator } from "../../../agent/index.ts";
import type { Coded, NoParams } from "../../../text/index.ts";
import type { WireCoded } from "../../wire/wire-coded.ts";

/** A model request of a run; the main part has no name. */
interface RoundOf {
  readonly round?: number;
  readonly part?: string;
}

/** The facts about a step of an agent's run: their codes with their parameters. */
export interface AgentFactParams {
  readonly notice: { readonly text: string; readonly notice?: WireCoded };
  readonly model_request: RoundOf & { readonly text: string; readonly ms?: number };
  /** Rounds are those of the model. `args` is JSON. A durable call is made by a program. */
  readonly called: RoundOf & {
    readonly initiator: CallInitiator | "program";
    readonly tool: string;
    readonly args?: string;
  };
  readonly approval_needed: { readonly approval: string };
  readonly outcome_unknown: NoParams;
  readonly awaits_approval: { readonly command: string };
  readonly call_failed: { readonly code?: string; readonly detail: string; readonly ms?: number };
  readonly call_succeeded: { readonly detail?: string; readonly ms?: number };
}

/** A fact about a step of an agent's run as data. */
export type AgentFact = Coded<AgentFactParams>;
