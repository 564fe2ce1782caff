import { fencedDataRule } from "../../../text/index.ts";
import type { RunProgram } from "../../../run/index.ts";
import { type LoopConversation, runAgentLoop } from "../../loop/agent-loop.ts";
import { availableTokens } from "../../loop/context-window.ts";
import { sizeOfMessages } from "../../loop/conversation-meter.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentPrompt, RunnerAnswer, Runner } from "../../run/runner.ts";
import { type DelegateOptions, enrichPrompt } from "../gathered-results.ts";
import { promptWithoutCommands } from "../commands/command-tool.ts";
import { detectCommands, withoutCommands, noticeIgnoredCommands } from "../commands/detect-commands.ts";
import { systemPrompt, userMessage } from "../prompt-messages.ts";
import { commandWorks } from "./command-tasks.ts";
import { gather } from "./gather-results.ts";
import { type CustomCommand, readCustomCommands } from "../commands/custom-commands.ts";
import { plannedTable, readRunnerOptions } from "../options/runner-options.ts";

const answerRules: readonly string[] = [
  "The results of tools for the message follow it. Answer from them and from the conversation, and say what the answer " +
    "is based on. " +
    "Where a tool failed or found nothing, say so instead of guessing. No tool can be called now.",
  fencedDataRule,
];

const commandRule =
  "What commands such as @vault in the message gave stands there, too. One of which nothing stands there was not carried out.";

/** Minimum of tokens for results in a request. */
const minTokens = 500;

/**
 * Answers a prompt in two steps: the model plans once which tools to call, they are called together with those of the
 * commands in the prompt, and the model answers with their results, without tools.
 */
export function* answerPlanned(
  run: AgentRun,
  prompt: AgentPrompt,
  brief: DelegateOptions = {},
): RunProgram<RunnerAnswer> {
  const { commands: own } = readPlannedOptions(run);
  const { text: promptText } = prompt;
  if (prompt.untrusted === true) noticeIgnoredCommands(run, promptText, "untrusted_prompt");
  const isText = brief.noCommands === true || prompt.untrusted === true;
  const message = isText ? withoutCommands(promptText) : yield* detectCommands(run, promptText, own);
  const commands = commandWorks(run, { message, history: prompt.history, customCommands: own });
  const messages = [...prompt.history, userMessage(prompt, prompt.text)];
  run.messages = messages;
  const text = promptWithoutCommands(message);
  const gathered = yield* gather(run, { text, offered: prompt.offered, messages, commands, delegation: brief });
  const { rules = [], preface = [], earlier = [] } = brief;
  const all = [...rules, ...answerRules, ...(message.commands.length > 0 ? [commandRule] : [])];
  const system = run.family.systemPrompt(systemPrompt(run, all), []);
  const conversation: LoopConversation = { part: "answer", system, preface, messages, tools: undefined, maxRounds: 0 };
  const room = Math.max(minTokens, availableTokens(run, conversation) - sizeOfMessages(messages));
  const results = [...earlier, ...gathered];
  const images = results.flatMap((result) => result.images ?? []);
  const { text: enriched, cut } = enrichPrompt(prompt.text, results, room);
  if (cut) run.notice({ code: "gathered_results_cut", params: {} });
  messages[messages.length - 1] = userMessage(prompt, run.family.userMessage(enriched, false), images);
  return { answer: yield* runAgentLoop(run, conversation) };
}

/** Reads the options of the planned runner; invalid options add a notice. */
function readPlannedOptions(run: AgentRun): { readonly commands: readonly CustomCommand[] } {
  const { commands, faults } = readCustomCommands(readRunnerOptions(run, plannedTable).commands);
  for (const { notice } of faults) run.notice(notice);
  return { commands };
}

/** The model plans the calls once, and answers with their results; `@vault`, `@websearch` and `@memory` add theirs. */
export const plannedRunner: Runner = {
  name: "planned",
  run: (run, prompt) => answerPlanned(run, prompt),
};
