import { toolCatalogueForPrompt } from "../../../hub/index.ts";
import { type TurnToolCall, findJson } from "../../../model/index.ts";
import { isRecord, parseArguments } from "../../../schema/index.ts";
import { askForJson } from "../ask-for-json.ts";
import type { Flow } from "../../flow/flow.ts";
import type { ConversationMessage } from "../../message.ts";
import { mayUse } from "../../run/may-use.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { coreTools } from "../../run/usual-tools.ts";
import { systemPrompt } from "../system-prompt.ts";
import { cleanTerms } from "./plan-terms.ts";
import type { Plan } from "./plan.ts";

const mostCalls = 16;

/** Plans with a model that takes no tools: it writes down the calls as JSON. */
export function* planInWords(
  run: AgentRun,
  rules: readonly string[],
  messages: readonly ConversationMessage[],
): Flow<Plan> {
  let round = 0;
  const { calls, terms, issues } = yield* askForJson(run, {
    place: () => ({ part: "plan-in-words", round: ++round }),
    system: systemPrompt(run, [...rules, wordsRule, `The tools:\n${toolList(run)}`]),
    messages,
    read: readWords,
  });
  if (issues.length > 0) run.note(`there was no usable plan (${issues.join("; ")}): no tools were called by it`);
  return { calls, terms };
}

const wordsRule =
  "Do not answer the message yet. Write down which tools have to be called so that you can answer it afterwards, all at " +
  "once: no more can be called later. Answer with one JSON object and nothing else: " +
  '{"calls": [{"tool": "name", "args": {}}], "terms": ["…"]}. Leave the list of calls empty where no tool is needed. ' +
  "terms are the words that matter most for a search.";

function toolList(run: AgentRun): string {
  const { tools } = run.engine;
  const names = tools.list().map(({ tool }) => tool.name);
  const isOffered = (tool: Parameters<typeof mayUse>[1]): boolean => mayUse(run, tool);
  return toolCatalogueForPrompt(tools, { core: [...coreTools, ...names], budgetTokens: run.spec.toolTokens, isOffered })
    .text;
}

interface ReadWords extends Plan {
  readonly issues: readonly string[];
}

function readWords(answer: string): ReadWords {
  const { objects, problem } = findJson(answer);
  let wrong = problem === undefined ? "it holds no JSON object" : `its JSON cannot be read (${problem})`;
  for (const json of objects.slice(0, 8)) {
    const { value, issues } = { value: undefined, issues: undefined, ...parseArguments(json) };
    if (issues !== undefined) wrong = issues.map(({ message }) => message).join("; ");
    const calls: unknown = value?.["calls"];
    const terms: unknown = value?.["terms"];
    if (Array.isArray(calls)) return { ...readCalls(calls), terms: cleanTerms(Array.isArray(terms) ? terms : []) };
    if (value !== undefined) wrong = 'the JSON object has no list "calls"';
  }
  return { calls: [], terms: [], issues: [wrong] };
}

function readCalls(written: readonly unknown[]): Pick<ReadWords, "calls" | "issues"> {
  const calls: TurnToolCall[] = [];
  const issues: string[] = [];
  for (const [index, one] of written.slice(0, mostCalls).entries()) {
    const { tool, args = {} }: Readonly<Record<string, unknown>> = isRecord(one) ? one : {};
    if (typeof tool !== "string" || tool === "") issues.push(`calls[${index}] names no tool`);
    else if (!isRecord(args)) issues.push(`calls[${index}].args is no JSON object`);
    // Whoever wants no tool may say so.
    else if (tool !== "none") {
      calls.push({ type: "tool-call", id: `plan-${index + 1}`, name: tool, input: JSON.stringify(args) });
    }
  }
  return { calls, issues };
}
