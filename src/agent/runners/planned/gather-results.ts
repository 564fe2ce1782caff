import { type TurnToolCall, toAssistantMessage } from "../../../model/index.ts";
import { recordValue, type RunProgram, runAll } from "../../../run/index.ts";
import { chooseTools, rankTools } from "../../loop/choose-tools.ts";
import { type LoopConversation, fitContextWindow } from "../../loop/agent-loop.ts";
import { type ResolvedToolCall, resolveToolCall } from "../../loop/resolve-tool-calls.ts";
import type { ConversationMessage, ToolResultPart } from "../../events/message.ts";
import { OfferedTools } from "../../run/offered-tools.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { type DelegateOptions, type GatheredResult, toGatheredResult } from "../gathered-results.ts";
import { salientTerms } from "../notes/salient-terms.ts";
import { systemPrompt } from "../prompt-messages.ts";
import { isToolsUnsupported } from "../../loop/request-model.ts";
import { parseArguments, isRecord } from "../../../schema/index.ts";
import type { TurnRef } from "../../events/agent-event.ts";
import { runToolCalls } from "../../loop/run-tool-calls.ts";
import { toolCatalogueForPrompt } from "../../../hub/index.ts";
import { detectLanguage } from "../../../text/index.ts";
import { readJsonObject, requestJson } from "../request-json.ts";
import type { CommandWork } from "./command-tasks.ts";
import { type ToolPlan, type PlanTurn, requestPlan, commandsRule, planRules } from "./request-plan.ts";
import { cleanTerms } from "./plan-terms.ts";

/** Request to gather results before a prompt is answered. */
export interface GatherRequest {
  /** The prompt without its commands. */
  readonly text: string;
  /** Names of the tools that earlier prompts of the conversation were offered. */
  readonly offered?: readonly string[] | undefined;
  /** The conversation with the prompt at its end. */
  readonly messages: ConversationMessage[];
  readonly commands: readonly CommandWork[];
  readonly delegation: DelegateOptions;
}

/** Gathers the results that the model plans for, and those of the user's commands. */
export function* gather(run: AgentRun, query: GatherRequest): RunProgram<readonly GatheredResult[]> {
  const { delegation, messages } = query;
  const { offered } = chooseTools(run, { text: query.text, ...(query.offered && { offered: query.offered }) });
  const hasTools = yield* recordValue("plan.tools", () => offered.size > 0);
  if (!hasTools) return yield* carryOutPlan(run, query, { calls: [], terms: [] });
  if (delegation.noTools === true) return yield* gatherWithoutTools(run, query);
  const { preface = [] } = delegation;
  const system = run.family.systemPrompt(systemPrompt(run, [...rulesFor(query), ...planRules]), offered.definitions);
  const conversation: LoopConversation = { part: "plan", system, preface, messages, tools: offered, maxRounds: 1 };
  const plan = yield* planWithTools(run, conversation);
  if (plan !== undefined) return yield* gatherByTools(run, query, { conversation, plan, offered });
  return yield* gatherWithoutTools(run, query);
}

function rulesFor({ delegation: { rules = [] }, commands }: GatherRequest): readonly string[] {
  return commands.length === 0 ? rules : [...rules, commandsRule];
}

/** The plan, or undefined if the model does not support tools. */
function* planWithTools(run: AgentRun, conversation: LoopConversation): RunProgram<PlanTurn | undefined> {
  const { messages } = conversation;
  const prompt = messages.at(-1);
  if (prompt?.role === "user") messages[messages.length - 1] = reminding(run, prompt);
  try {
    return yield* requestPlan(run, conversation, 1);
  } catch (error) {
    if (!isToolsUnsupported(error)) throw error;
    return undefined;
  } finally {
    // Older messages may have been replaced by a summary; the prompt is still the last.
    if (prompt !== undefined) messages[messages.length - 1] = prompt;
  }
}

/** Executes a plan. A plan that searches for tools may be followed by one that uses the tools found. */
function* gatherByTools(
  run: AgentRun,
  query: GatherRequest,
  {
    conversation,
    plan,
    offered,
  }: { readonly conversation: LoopConversation; readonly plan: PlanTurn; readonly offered: OfferedTools },
): RunProgram<readonly GatheredResult[]> {
  const terms = termsOf(plan, query);
  const first = yield* runPlanAndCommands(run, {
    ...plan,
    turnRef: { part: "plan", round: 1 },
    offered,
    commands: query.commands,
    terms,
  });
  if (!plan.looks) return first.gathered;
  const results: ConversationMessage = { role: "tool", content: [...first.parts] };
  const messages = [...conversation.messages, toAssistantMessage(plan.turn), results];
  const { calls } = yield* requestPlan(run, { ...conversation, messages }, 2);
  const second = yield* runPlanAndCommands(run, {
    calls,
    turnRef: { part: "plan", round: 2 },
    offered,
    commands: [],
    terms,
  });
  return [...first.gathered, ...second.gathered];
}

function* gatherWithoutTools(run: AgentRun, query: GatherRequest): RunProgram<readonly GatheredResult[]> {
  run.notice({ code: "plan_as_text", params: {} });
  const { delegation, messages } = query;
  const { preface = [] } = delegation;
  const conversation: LoopConversation = {
    part: "plan-in-words",
    system: "",
    preface,
    messages,
    tools: undefined,
    maxRounds: 0,
  };
  yield* fitContextWindow(run, conversation, { part: conversation.part, round: 0 });
  return yield* carryOutPlan(
    run,
    query,
    yield* planAsJson(run, rulesFor(query), { text: query.text, messages: [...preface, ...messages] }),
  );
}

function* carryOutPlan(run: AgentRun, query: GatherRequest, plan: ToolPlan): RunProgram<readonly GatheredResult[]> {
  const calls = yield* withResolutions(run, plan.calls);
  const turnRef = { part: "plan-in-words", round: 0 };
  return (yield* runPlanAndCommands(run, {
    calls,
    turnRef,
    offered: undefined,
    commands: query.commands,
    terms: termsOf(plan, query),
  })).gathered;
}

/** Resolves the calls of a plan that a model wrote as JSON. */
function* withResolutions(run: AgentRun, calls: readonly TurnToolCall[]): RunProgram<readonly ResolvedToolCall[]> {
  if (calls.length === 0) return [];
  // Nothing was offered, so names are not mapped.
  const offered = new OfferedTools([], run.family.name);
  const resolutions = yield* recordValue("plan-in-words.0.means", () =>
    calls.map((call) => resolveToolCall(run, offered, call)),
  );
  return calls.flatMap((call, index) => {
    const resolution = resolutions[index];
    return resolution === undefined ? [] : [{ ...call, resolution }];
  });
}

/** The terms from the model, or else by rule. */
function termsOf({ terms }: ToolPlan, { text }: GatherRequest): readonly string[] {
  return terms.length > 0 ? terms : salientTerms(text);
}

/** Some models need a reminder that there are tools. */
function reminding({ family }: AgentRun, prompt: UserMessage): UserMessage {
  const content = prompt.content.map((part) =>
    part.type === "text" ? { ...part, text: family.userMessage(part.text, true) } : part,
  );
  return { ...prompt, content };
}

type UserMessage = Extract<ConversationMessage, { role: "user" }>;

/** Calls of a plan, and the commands of the user. */
interface PlanAndCommands {
  readonly turnRef: TurnRef;
  readonly calls: readonly ResolvedToolCall[];
  readonly offered: OfferedTools | undefined;
  readonly commands: readonly CommandWork[];
  readonly terms: readonly string[];
}

/** Results of both. */
interface PlanResults {
  readonly gathered: readonly GatheredResult[];
  /** The result of each call of the plan. */
  readonly parts: readonly ToolResultPart[];
}

/**
 * Executes the calls of a plan and the commands of the user concurrently. A command that looks something up is left out
 * if the plan calls the same tool, and is executed if that call failed; a command that changes something is executed as
 * the user wrote it, and the plan does not repeat it.
 */
function* runPlanAndCommands(
  run: AgentRun,
  { turnRef, calls, offered, commands, terms }: PlanAndCommands,
): RunProgram<PlanResults> {
  const isDropped = (call: ResolvedToolCall): boolean =>
    commands.some(({ writes, tool }) => writes && tool === toolOf(call));
  const made = calls.filter((call) => !isDropped(call));
  const named = new Set(made.map(toolOf));
  const atOnce = commands.filter(({ yields, tool }) => !yields || !named.has(tool));
  let parts: readonly ToolResultPart[] = [];
  const planned = function* (): RunProgram<readonly GatheredResult[]> {
    const called = yield* runToolCalls(run, { turnRef, calls: made, offered });
    ({ parts } = called);
    return called.fresh.map(toGatheredResult);
  };
  const [own = [], prompt = []] = yield* runAll([doAll(run, atOnce, terms), planned()]);
  const well = new Set(parts.flatMap(({ toolCallId, output }) => (output.type === "text" ? [toolCallId] : [])));
  const done = new Set(made.filter(({ id }) => well.has(id)).map(toolOf));
  const later = commands.filter((command) => !atOnce.includes(command) && !done.has(command.tool));
  const late = yield* doAll(run, later, terms);
  return {
    gathered: [...own, ...prompt, ...late],
    parts: [...parts, ...calls.filter(isDropped).map(skippedForCommand)],
  };
}

/** In their order: reads run concurrently, up to the next write. */
function* doAll(
  run: AgentRun,
  commands: readonly CommandWork[],
  terms: readonly string[],
): RunProgram<readonly GatheredResult[]> {
  const gathered: GatheredResult[] = [];
  let beside: RunProgram<GatheredResult>[] = [];
  for (const [index, command] of commands.entries()) {
    beside.push(command.run(terms));
    if (!command.writes && commands[index + 1]?.writes === false) continue;
    gathered.push(...(yield* runAll(beside, run.spec.maxParallel)));
    beside = [];
  }
  return gathered;
}

/** The name of the tool that a call resolves to; undefined if it cannot be made. */
function toolOf({ broken, input, resolution }: ResolvedToolCall): string | undefined {
  if (broken !== undefined || parseArguments(input === "" ? "{}" : input).issues !== undefined) return undefined;
  return resolution?.name ?? resolution?.tool;
}

function skippedForCommand({ id, name }: TurnToolCall): ToolResultPart {
  const value = "This was not run: a command of the user does it.";
  return { type: "tool-result", toolCallId: id, toolName: name, output: { type: "error-text", value } };
}

const maxCalls = 16;

/** Plans with a model that does not support tools: it writes the calls as JSON. */
function* planAsJson(
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
