import { type TurnToolCall, toAssistantMessage } from "../../../model/index.ts";
import { fact } from "../../flow/fact.ts";
import type { Flow } from "../../flow/flow.ts";
import { chooseTools } from "../../loop/choose-tools.ts";
import { type Talk, fitIn } from "../../loop/converse.ts";
import { type MeantCall, meaningOf } from "../../loop/meaning.ts";
import type { ConversationMessage } from "../../message.ts";
import { OfferedTools } from "../../loop/offered-tools.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { Brief } from "../brief.ts";
import type { Gathered } from "../gathered.ts";
import { salientTerms } from "../notes/salient-terms.ts";
import { systemPrompt } from "../system-prompt.ts";
import { refusesTools } from "../refuses-tools.ts";
import { carryOut } from "./carry-out.ts";
import type { CommandWork } from "./command-work.ts";
import { planInWords } from "./plan-in-words.ts";
import { type Plan, type ToldPlan, askPlan, commandsRule, planRules } from "./plan.ts";

/** What is to be found out before a question is answered. */
export interface Wanted {
  /** The question without its commands. */
  readonly text: string;
  /** The conversation with the question at its end. */
  readonly messages: ConversationMessage[];
  readonly commands: readonly CommandWork[];
  readonly brief: Brief;
}

/** Finds out what the model wants to know, and what the commands of the user ask for. */
export function* gather(run: AgentRun, wanted: Wanted): Flow<readonly Gathered[]> {
  const { brief, messages } = wanted;
  const { offered } = chooseTools(run);
  const hasTools = yield* fact("plan.tools", () => offered.size > 0);
  if (!hasTools) return yield* carryOutPlan(run, wanted, { calls: [], terms: [] });
  if (brief.noTools === true) return yield* gatherInWords(run, wanted);
  const { preface = [] } = brief;
  const system = run.family.systemPrompt(systemPrompt(run, [...rulesFor(wanted), ...planRules]), offered.definitions);
  const talk: Talk = { part: "plan", system, preface, messages, tools: offered, maxRounds: 1 };
  const plan = yield* planWithTools(run, talk);
  if (plan !== undefined) return yield* gatherByTools(run, wanted, { talk, plan, offered });
  return yield* gatherInWords(run, wanted);
}

function rulesFor({ brief: { rules = [] }, commands }: Wanted): readonly string[] {
  return commands.length === 0 ? rules : [...rules, commandsRule];
}

/** The plan, or undefined where the model takes no tools. */
function* planWithTools(run: AgentRun, talk: Talk): Flow<ToldPlan | undefined> {
  const { messages } = talk;
  const asked = messages.at(-1);
  if (asked?.role === "user") messages[messages.length - 1] = reminding(run, asked);
  try {
    return yield* askPlan(run, talk, 1);
  } catch (error) {
    if (!refusesTools(error)) throw error;
    return undefined;
  } finally {
    // Older messages may have given way to a summary; the question is still the last.
    if (asked !== undefined) messages[messages.length - 1] = asked;
  }
}

interface Told {
  readonly talk: Talk;
  readonly plan: ToldPlan;
  readonly offered: OfferedTools;
}

/** Carries out a plan. One that looks for tools first may be followed by one with the tools that it found. */
function* gatherByTools(run: AgentRun, wanted: Wanted, { talk, plan, offered }: Told): Flow<readonly Gathered[]> {
  const { commands } = wanted;
  const terms = termsOf(plan, wanted);
  const first = yield* carryOut(run, { ...plan, place: { part: "plan", round: 1 }, offered, commands, terms });
  if (!plan.looks) return first.gathered;
  const results: ConversationMessage = { role: "tool", content: [...first.parts] };
  const messages = [...talk.messages, toAssistantMessage(plan.turn), results];
  const { calls } = yield* askPlan(run, { ...talk, messages }, 2);
  const second = yield* carryOut(run, { calls, place: { part: "plan", round: 2 }, offered, commands: [], terms });
  return [...first.gathered, ...second.gathered];
}

function* gatherInWords(run: AgentRun, wanted: Wanted): Flow<readonly Gathered[]> {
  run.note("the model takes no tools: it was asked in words which ones to call; the runner llm asks it once, without");
  const { brief, messages } = wanted;
  const { preface = [] } = brief;
  const talk: Talk = { part: "plan-in-words", system: "", preface, messages, tools: undefined, maxRounds: 0 };
  yield* fitIn(run, talk, { part: talk.part, round: 0 });
  return yield* carryOutPlan(run, wanted, yield* planInWords(run, rulesFor(wanted), [...preface, ...messages]));
}

function* carryOutPlan(run: AgentRun, wanted: Wanted, plan: Plan): Flow<readonly Gathered[]> {
  const { commands } = wanted;
  const calls = yield* withMeanings(run, plan.calls);
  const place = { part: "plan-in-words", round: 0 };
  return (yield* carryOut(run, { calls, place, offered: undefined, commands, terms: termsOf(plan, wanted) })).gathered;
}

/** Calls that a model wrote down mean what the tools of these names do. */
function* withMeanings(run: AgentRun, calls: readonly TurnToolCall[]): Flow<readonly MeantCall[]> {
  if (calls.length === 0) return [];
  // Nothing was offered, so names are as they are.
  const offered = new OfferedTools([], run.family.name);
  const meanings = yield* fact("plan-in-words.0.means", () => calls.map((call) => meaningOf(run, offered, call)));
  return calls.flatMap((call, index) => {
    const means = meanings[index];
    return means === undefined ? [] : [{ ...call, means }];
  });
}

/** As the model told them, or else by rule. */
function termsOf({ terms }: Plan, { text }: Wanted): readonly string[] {
  return terms.length > 0 ? terms : salientTerms(text);
}

/** Some models have to be told that there are tools. */
function reminding({ family }: AgentRun, asked: UserMessage): UserMessage {
  const content = asked.content.map((part) =>
    part.type === "text" ? { ...part, text: family.userMessage(part.text, true) } : part,
  );
  return { ...asked, content };
}

type UserMessage = Extract<ConversationMessage, { role: "user" }>;
