import { dataRule } from "../../../text/index.ts";
import type { Flow } from "../../flow/flow.ts";
import { type Talk, converse } from "../../loop/converse.ts";
import { roomFor } from "../../loop/make-room.ts";
import { sizeOfAll } from "../../loop/talk-meter.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentQuestion, RunnerAnswer } from "../../runner.ts";
import type { Brief } from "../brief.ts";
import { askedText } from "../commands/command-tool.ts";
import { meantCommands, noCommandsIn, noteCommands } from "../commands/meant-commands.ts";
import { enrich } from "../gathered.ts";
import { systemPrompt } from "../system-prompt.ts";
import { userMessage } from "../user-message.ts";
import { commandWorks } from "./command-work.ts";
import { gather } from "./gather.ts";
import { readPlannedOptions } from "./planned-options.ts";

const answerRules: readonly string[] = [
  "What tools gave for the message stands behind it. Answer from that and from what was said, and say what it rests on. " +
    "Where a tool failed or found nothing, say so instead of guessing. No tool can be called now.",
  dataRule,
];

const commandRule =
  "What commands such as @vault in the message gave stands there, too. One of which nothing stands there was not carried out.";

/** Of the room for a request, what results may take in any case. */
const leastTokens = 500;

/**
 * Answers a question in two steps: the model says once which tools to call, they are called together with those of the
 * commands in the question, and the model answers with what they gave, without tools.
 */
export function* answerPlanned(run: AgentRun, question: AgentQuestion, brief: Brief = {}): Flow<RunnerAnswer> {
  const { commands: own } = readPlannedOptions(run);
  const { text: asked } = question;
  if (question.fromOutside === true) noteCommands(run, asked, "the question itself is text from outside");
  const isText = brief.noCommands === true || question.fromOutside === true;
  const message = isText ? noCommandsIn(asked) : yield* meantCommands(run, asked, own);
  const commands = commandWorks(run, { message, history: question.history, own });
  const messages = [...question.history, userMessage(question, question.text)];
  run.messages = messages;
  const gathered = yield* gather(run, { text: askedText(message), messages, commands, brief });
  const { rules = [], preface = [], earlier = [] } = brief;
  const all = [...rules, ...answerRules, ...(message.commands.length > 0 ? [commandRule] : [])];
  const system = run.family.systemPrompt(systemPrompt(run, all), []);
  const talk: Talk = { part: "answer", system, preface, messages, tools: undefined, maxRounds: 0 };
  const room = Math.max(leastTokens, roomFor(run, talk) - sizeOfAll(messages));
  const { text, cut } = enrich(question.text, [...earlier, ...gathered], room);
  if (cut) run.note("what the tools gave was too long for the model, and was cut");
  messages[messages.length - 1] = userMessage(question, run.family.userMessage(text, false));
  return { answer: yield* converse(run, talk) };
}
