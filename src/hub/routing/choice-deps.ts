import type { Clock } from "../../base/index.ts";
import type { Redactor } from "../../text/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import type { Choice } from "./candidate.ts";
import type { ChoiceHistory } from "./choice-history.ts";
import type { HubLimits } from "./hub-limits.ts";
import type { Synthesiser } from "./synthesise.ts";
import type { ToolBreakers } from "./tool-breakers.ts";

/** What all choices of a hub share. */
export interface ChoiceWorld {
  readonly clock: Clock;
  readonly limits: HubLimits;
  readonly breakers: ToolBreakers;
  readonly synthesiser: Synthesiser | undefined;
  readonly redactor: Redactor | undefined;
  /** What is known of earlier calls under a name. */
  readonly historyOf: (name: string) => ChoiceHistory;
  /** Whether the settings let a tool be called at all. */
  readonly isAvailable: (tool: AnyTool) => boolean;
}

/** A choice that is made with these arguments. */
export interface MadeChoice {
  readonly choice: Choice;
  readonly world: ChoiceWorld;
  readonly args: unknown;
}
