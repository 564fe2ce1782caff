import { expect, test } from "vitest";
import { type Examples, textProblems } from "../../../test/support/text-problems.ts";
import { type AgentFactParams, agentFactTexts } from "./agent-facts.ts";

const examples: Examples<AgentFactParams> = {
  notice: [{ text: "the check says: no" }],
  model_request: [{ text: "Wrote the answer" }, { text: "Made a plan", round: 2, part: "plan-in-words", ms: 3200 }],
  called: [
    { initiator: "model", tool: "web_search", args: '{"query":"tea"}', round: 2, part: "plan-in-words" },
    { initiator: "runner", tool: "local_search" },
    { initiator: "person", tool: "memory_store", round: 1 },
  ],
  approval_needed: [{ approval: "approval-12345" }],
  outcome_unknown: [{}],
  awaits_approval: [{ command: "windlass approve approval-12345" }],
  call_failed: [{ code: "not_available", detail: "the service is down", ms: 3200 }, { detail: "the service is down" }],
  call_succeeded: [{ detail: "found 4: Piano" }, { ms: 3200 }],
};

test("[F19] each fact about an agent's run has a sentence in each language, with the same parameters", () => {
  expect(textProblems(agentFactTexts, examples)).toEqual([]);
});
