import { fail } from "../../base/index.ts";
import {
  type NewRun,
  type RunConversation,
  type RunJournal,
  type StoredRun,
  agentRunName,
  isAgentRun,
} from "../../store/index.ts";
import type { AgentQuestion } from "../runner.ts";
import type { AgentSpec } from "./agent-spec.ts";

/** A question as a run keeps it: without what was said before where the turns of its conversation tell that. */
export type KeptQuestion = Omit<AgentQuestion, "history"> & Partial<Pick<AgentQuestion, "history">>;

/** What is kept of a run when it begins. */
export interface KeptAgentRun {
  readonly spec: AgentSpec;
  readonly question: KeptQuestion;
  /** The id of the conversation under which its calls are made and recorded. */
  readonly under: string;
  /** The conversation that it is a question of; undefined where it is none, such as of an agent that is a tool. */
  readonly conversation: RunConversation | undefined;
  /** The run that called it, for an agent that is a tool. */
  readonly calledBy: string | undefined;
  readonly principal: string | undefined;
  /** There was no model when it began: it goes on without one, and is told again so. */
  readonly alone: boolean;
}

/** Of keys, events and outcomes in the journal. A run of another format cannot be told again. */
const agentFormat = 1;

/** A run as a journal takes it. */
export function writeAgentRun(id: string, kept: KeptAgentRun, startedAt: number): NewRun {
  const { spec, question, under, conversation, calledBy, principal, alone } = kept;
  const context: KeptContext = {
    conversationId: under,
    ...(calledBy !== undefined && { calledBy }),
    ...(principal !== undefined && { principal }),
    ...(alone && { alone }),
  };
  return {
    id,
    chain: agentRunName(spec.runner),
    definition: JSON.stringify({ agent: spec }),
    input: JSON.stringify(question),
    context: JSON.stringify(context),
    format: agentFormat,
    fingerprints: "{}",
    startedAt,
    ...(calledBy !== undefined && { calledBy }),
    ...(conversation !== undefined && { conversation }),
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
  const { conversationId: under, calledBy, principal, alone = false } = JSON.parse(run.context) as KeptContext;
  return { spec, question, under, conversation: run.conversation, calledBy, principal, alone };
}

/** The run that called this one, where it is of an agent that is a tool. */
export function callerOf(run: StoredRun): string | undefined {
  return isAgentRun(run) && run.format === agentFormat ? readAgentRun(run).calledBy : undefined;
}

/** A run, and where it is of an agent that is a tool those above it, as far as the journal has them; the first one last. */
export async function runsAbove(journal: Pick<RunJournal, "read">, runId: string): Promise<readonly string[]> {
  const found = await journal.read(runId);
  const by = found && callerOf(found.run);
  if (by === undefined || (await journal.read(by)) === undefined) return [runId];
  return [runId, ...(await runsAbove(journal, by))];
}

interface KeptContext {
  readonly conversationId: string;
  readonly calledBy?: string;
  readonly principal?: string;
  readonly alone?: boolean;
}
