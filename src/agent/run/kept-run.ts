import { fail } from "../../base/index.ts";
import { type NewRun, type StoredRun, agentRunName, isAgentRun } from "../../store/index.ts";
import type { AgentQuestion } from "../runner.ts";
import type { AgentSpec } from "./agent-spec.ts";

/** What is kept of a run when it begins. */
export interface KeptAgentRun {
  readonly spec: AgentSpec;
  readonly question: AgentQuestion;
  readonly conversationId: string;
  readonly principal: string | undefined;
}

/** Of keys, events and outcomes in the journal. A run of another format cannot be told again. */
const agentFormat = 1;

/** A run as a journal takes it. */
export function writeAgentRun(id: string, kept: KeptAgentRun, startedAt: number): NewRun {
  const { spec, question, conversationId, principal } = kept;
  return {
    id,
    chain: agentRunName(spec.runner),
    definition: JSON.stringify({ agent: spec }),
    input: JSON.stringify(question),
    context: JSON.stringify({ conversationId, ...(principal !== undefined && { principal }) }),
    format: agentFormat,
    fingerprints: "{}",
    startedAt,
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
  const question = JSON.parse(run.input) as AgentQuestion;
  const { conversationId, principal } = JSON.parse(run.context) as { conversationId: string; principal?: string };
  return { spec, question, conversationId, principal };
}
