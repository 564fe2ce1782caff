import type { Clock } from "../../base/index.ts";
import type { AskPerson } from "../../chain/index.ts";
import type { BeginCall, CallStep } from "../../engine/index.ts";
import type { ResultShelf } from "../../hub/index.ts";
import type { ApprovalStore, RunJournal, RunOwner } from "../../store/index.ts";
import type { Elicit } from "../../tool/index.ts";
import type { AgentListener } from "../agent-event.ts";
import type { Runner } from "../runner.ts";
import type { AgentObserver } from "./agent-observer.ts";
import type { QuestionImage } from "./agent-spec.ts";
import type { CallAccount } from "./call-account.ts";
import type { RunParts } from "./make-run.ts";
import type { Said } from "./said.ts";

/** What `AgentRuns` is made of. */
export interface AgentRunsParts extends RunParts {
  readonly journal: RunJournal;
  readonly approvals: ApprovalStore;
  readonly owner: RunOwner;
  /** The runner of this name; throws with those there are. */
  readonly runner: (name: string) => Runner;
  /** Where large results are kept for `read_result`. */
  readonly shelf?: ResultShelf | undefined;
  readonly observer?: AgentObserver | undefined;
  readonly clock?: Clock;
}

/** How a run is executed, whether it begins or goes on. */
export interface AgentExecuteOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: AgentListener;
  /** Answers questions to people right here; where absent the run waits, and can be resumed. */
  readonly ask?: AskPerson;
  /** Asks whoever runs the agent what its tools want to know. */
  readonly elicit?: Elicit;
}

/** What a new run takes. */
export interface AgentStartOptions extends AgentExecuteOptions {
  readonly runId?: string;
  /** The same for all questions of one conversation. */
  readonly conversationId?: string;
  readonly images?: readonly QuestionImage[];
  /** The question itself is text from outside, such as a mail on stdin: it taints, and commands in it are text. */
  readonly fromOutside?: boolean;
  readonly principal?: string;
}

/** How a run is executed that may be a call of another one. */
export interface InnerExecuteOptions extends AgentExecuteOptions {
  /** Stay and wait for people's decisions, instead of ending with status `waiting`. */
  readonly stay?: boolean;
  /** Makes its calls under another one, for an agent that is a tool. */
  readonly begin?: BeginCall;
  /** Who pays for it besides, and limits it by what is left: the run whose call that is. */
  readonly account?: CallAccount | undefined;
  /** That call: where it is left to whoever comes next, so is this run. */
  readonly step?: CallStep | undefined;
}

/** What a new run takes that goes on with a conversation, or is a call of another one. */
export interface InnerStartOptions extends AgentStartOptions, InnerExecuteOptions {
  /** What was said before; nothing where absent. */
  readonly said?: Said;
  /** No question of the conversation, which neither it nor its answer becomes part of: another agent asks it. */
  readonly aside?: boolean;
  /** The run whose call it is, for an agent that is a tool. */
  readonly calledBy?: string;
  /** A model wrote the question: commands in it are text. */
  readonly byModel?: boolean;
}
