import { toolCatalogueForPrompt } from "../../../hub/index.ts";
import { detectLanguage } from "../../../text/index.ts";
import type { TurnToolCall } from "../../../model/index.ts";
import { isRecord } from "../../../schema/index.ts";
import { readJsonObject, requestJson } from "../request-json.ts";
import type { RunProgram } from "../../../run/index.ts";
import type { ConversationMessage } from "../../events/message.ts";
import { rankTools } from "../../loop/choose-tools.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { systemPrompt } from "../prompt-messages.ts";
import { cleanTerms } from "./plan-terms.ts";
import type { ToolPlan } from "./request-plan.ts";

const maxCalls = 16;

/** Plans with a model that does not support tools: it writes the calls as JSON. */
export function* planAsJson(
  run: AgentRun,
  rules: readonly string[],
  { text, messages }: { readonly text: string; readonly messages: readonly ConversationMessage[] },
): RunProgram<ToolPlan> {
  let round = 0;
  const { calls, terms, issues } = yield* requestJson(run, {
    turnRef: () => ({ part: "plan-in-words", round: ++round }),
    system: systemPrompt(run, [...rules, jsonPlanRule, `The tools:\n${toolList(run, text)}`]),
    messages,
    read: parsePlanText,
  });
  if (issues.length > 0) run.notice({ code: "plan_unusable", params: { issues, instead: "no_tools" } });
  return { calls, terms };
}

const jsonPlanRule =
  "Do not answer the message yet. Write down which tools have to be called so that you can answer it afterwards, all at " +
  "once: no more can be called later. Answer with one JSON object and nothing else: " +
  '{"calls": [{"tool": "name", "args": {}}], "terms": ["…"]}. Leave the list of calls empty where no tool is needed. ' +
  "terms are the words that matter most for a search.";

function toolList(run: AgentRun, text: string): string {
  const ranked = rankTools(run, text);
  const offered = new Set(ranked);
  const catalogue = toolCatalogueForPrompt(run.engine.tools, {
    core: ranked.map(({ name }) => name),
    budgetTokens: run.spec.toolDefinitionTokens,
    isOffered: (tool) => offered.has(tool),
    language: detectLanguage(text),
  });
  run.noteDefinitions(catalogue.tools);
  return catalogue.text;
}

interface ParsedPlanText extends ToolPlan {
  readonly issues: readonly string[];
}

function parsePlanText(answer: string): ParsedPlanText {
  const plan = readJsonObject<ParsedPlanText>(answer, ({ calls, terms }) => {
    if (!Array.isArray(calls)) return 'the JSON object has no list "calls"';
    return { ...readCalls(calls), terms: cleanTerms(Array.isArray(terms) ? terms : []) };
  });
  return typeof plan === "string" ? { calls: [], terms: [], issues: [plan] } : plan;
}

function readCalls(written: readonly unknown[]): Pick<ParsedPlanText, "calls" | "issues"> {
  const calls: TurnToolCall[] = [];
  const issues: string[] = [];
  for (const [index, one] of written.slice(0, maxCalls).entries()) {
    const { tool, args = {} }: Readonly<Record<string, unknown>> = isRecord(one) ? one : {};
    if (typeof tool !== "string" || tool === "") issues.push(`calls[${index}] names no tool`);
    else if (!isRecord(args)) issues.push(`calls[${index}].args is not a JSON object`);
    // A model may answer that it needs no tool.
    else if (tool !== "none") {
      calls.push({ type: "tool-call", id: `plan-${index + 1}`, name: tool, input: JSON.stringify(args) });
    }
  }
  return { calls, issues };
}
