import type { Clock } from "../../base/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import type { Choice } from "./candidate.ts";
import type { ChoiceHistory } from "./choice-history.ts";
import type { HubLimits } from "./hub-limits.ts";
import type { Synthesizer } from "./synthesize-results.ts";
import type { ToolBreakers } from "./tool-breakers.ts";

/** Dependencies that all choices of a hub share. */
export interface ChoiceDeps {
  readonly clock: Clock;
  readonly limits: HubLimits;
  readonly breakers: ToolBreakers;
  readonly synthesiser: Synthesizer | undefined;
  /** Redacts secrets in the input of a model: arguments may contain some. */
  readonly redactor: Redactor | undefined;
  /** Outcomes of earlier calls under a name. */
  readonly historyOf: (name: string) => ChoiceHistory;
  /** True if the settings allow a tool to be called. */
  readonly isAvailable: (tool: AnyTool) => boolean;
}

/** A choice that is made with these arguments. */
export interface ChoiceInvocation {
  readonly choice: Choice;
  readonly world: ChoiceDeps;
  readonly args: unknown;
}
