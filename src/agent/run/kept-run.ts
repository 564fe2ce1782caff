import { fail } from "../../base/index.ts";
import { type NewRun, type StoredRun, agentRunName, isAgentRun } from "../../store/index.ts";
import type { AgentQuestion } from "../runner.ts";
import type { AgentSpec } from "./agent-spec.ts";

/** A question as a run keeps it: without what was said before where the turns of its conversation tell that. */
export type KeptQuestion = Omit<AgentQuestion, "history"> & Partial<Pick<AgentQuestion, "history">>;

/** What is kept of a run when it begins. */
export interface KeptAgentRun {
  readonly spec: AgentSpec;
  readonly question: KeptQuestion;
  readonly conversationId: string;
  /** The last turn of the conversation that it knows of; absent where it is no question of it, such as another agent's. */
  readonly after?: number;
  readonly principal: string | undefined;
  /** There was no model when it began: it goes on without one, and is told again so. */
  readonly alone?: boolean;
}

/** Of keys, events and outcomes in the journal. A run of another format cannot be told again. */
const agentFormat = 1;

/** A run as a journal takes it. */
export function writeAgentRun(id: string, kept: KeptAgentRun, startedAt: number): NewRun {
  const { spec, question, conversationId, after, principal, alone } = kept;
  return {
    id,
    chain: agentRunName(spec.runner),
    definition: JSON.stringify({ agent: spec }),
    input: JSON.stringify(question),
    context: JSON.stringify({ conversationId, ...(principal !== undefined && { principal }), ...(alone && { alone }) }),
    format: agentFormat,
    fingerprints: "{}",
    startedAt,
    ...(after !== undefined && { conversation: { id: conversationId, after } }),
  };
}

/** What {@link writeAgentRun} wrote. */
export function readAgentRun(run: StoredRun): KeptAgentRun {
  if (!isAgentRun(run)) {
    throw fail(`run ${run.id} is a run of the chain ${run.chain}, not of an agent`, { code: "validation_error" });
  }
  if (run.format !== agentFormat) {
    throw fail(`run ${run.id} was begun by another version of Windlass (format ${run.format}); ask again`, {
      code: "run_changed",
    });
  }
  // Written by this module.
  const { agent: spec } = JSON.parse(run.definition) as { agent: AgentSpec };
  const question = JSON.parse(run.input) as KeptQuestion;
  const { conversationId, principal, alone = false } = JSON.parse(run.context) as KeptContext;
  const after = run.conversation?.after;
  return { spec, question, conversationId, principal, alone, ...(after !== undefined && { after }) };
}

interface KeptContext {
  readonly conversationId: string;
  readonly principal?: string;
  readonly alone?: boolean;
}
