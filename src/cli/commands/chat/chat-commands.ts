import { type ConversationMessage, type ReasoningLanguage, runnerNames } from "../../../agent/index.ts";
import type { CommandName } from "../../terminal/texts/english.ts";
import { cliTexts } from "../../terminal/texts/cli-texts.ts";
import { stripUnsafe, suggest } from "../../../text/index.ts";
import { checkModel } from "../../open/agent-session.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { shortText } from "../../terminal/short-text.ts";
import { logWrapped } from "../../terminal/log-wrapped.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { toListedTool, toolTable } from "../tools/list.ts";
import { UsageError } from "../../program/usage-error.ts";
import type { ChatConversation } from "./chat-conversation.ts";

/** Outcome of a chat command: continue, exit, or resume a suspended prompt. */
export type ChatCommandResult = "done" | "exit" | { readonly resume: string };

/** Arguments of a chat command. */
interface ChatCommandContext {
  readonly conversation: ChatConversation;
  /** Text after the name of the command. */
  readonly word: string;
  readonly terminal: Terminal;
  readonly language: ReasoningLanguage;
}

const commands: Readonly<
  Record<CommandName, (input: ChatCommandContext) => ChatCommandResult | Promise<ChatCommandResult>>
> = {
  help,
  tools,
  model,
  runner,
  resume,
  history,
  usage,
  clear,
  exit: () => "exit",
};

/** Executes a chat command such as `/model fast`. */
export async function runChatCommand(
  line: string,
  input: Omit<ChatCommandContext, "word">,
): Promise<ChatCommandResult> {
  const [, name = "", word = ""] = /^\/(\S*)\s*(.*)$/su.exec(line.trim()) ?? [];
  const known = name === "quit" ? "exit" : name;
  if (isCommand(known)) return commands[known]({ ...input, word: word.trim() });
  const words = cliTexts[input.language].chat;
  throw new UsageError(words.noCommand(toOneLine(name), suggest(name, Object.keys(commands))), words.beginsWithSlash);
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

function help({ terminal, language }: ChatCommandContext): ChatCommandResult {
  const { commands: about, aboutKeys } = cliTexts[language].chat;
  const width = Math.max(...Object.keys(about).map(({ length }) => length));
  for (const [name, text] of Object.entries(about)) {
    logWrapped(text, terminal, { lead: `  ${terminal.tint("bold", `/${name.padEnd(width)}`)}  ` });
  }
  logWrapped(aboutKeys, terminal, { lead: "  ", style: "dim" });
  return "done";
}

async function tools({ conversation, word, terminal, language }: ChatCommandContext): Promise<ChatCommandResult> {
  const requested = word.toLowerCase();
  const found = (await conversation.tools()).filter(({ tool: { name, description } }) =>
    `${name} ${description}`.toLowerCase().includes(requested),
  );
  const side: Parameters<typeof toolTable>[1] = {
    columns: terminal.sideColumns,
    paint: (style, text) => terminal.tint(style, text),
  };
  for (const line of toolTable(
    found.map((one) => toListedTool(one, conversation.workspace)),
    side,
  ))
    terminal.log(line);
  terminal.log(terminal.tint("dim", cliTexts[language].chat.tools(found.length)));
  return "done";
}

async function model({ conversation, word: name, terminal, language }: ChatCommandContext): Promise<ChatCommandResult> {
  const { models } = conversation.workspace;
  const words = cliTexts[language].chat;
  if (name === "") {
    const current = conversation.model ?? "default";
    for (const each of models.names) terminal.log(listed(each, each === current, models.get(each)?.modelId ?? ""));
    if (models.names.length === 0) logWrapped(words.noModel(), terminal);
    return "done";
  }
  checkModel(name, conversation.workspace);
  await conversation.change({ model: name });
  logWrapped(words.nextModel(toOneLine(name)), terminal);
  return "done";
}

async function runner({
  conversation,
  word: name,
  terminal,
  language,
}: ChatCommandContext): Promise<ChatCommandResult> {
  if (name === "") {
    for (const each of runnerNames) terminal.log(listed(each, each === conversation.runner));
    return "done";
  }
  await conversation.change({ runner: name });
  logWrapped(cliTexts[language].chat.nextRunner(toOneLine(name)), terminal);
  return "done";
}

function listed(name: string, isCurrent: boolean, about = ""): string {
  return `${isCurrent ? "*" : " "} ${toOneLine(name)}${about === "" ? "" : `  ${toOneLine(about)}`}`;
}

async function resume({ conversation, word, terminal, language }: ChatCommandContext): Promise<ChatCommandResult> {
  const words = cliTexts[language].chat;
  const waiting = await conversation.waiting();
  if (waiting.length === 0) throw new UsageError(words.nothingWaits);
  const [only] = waiting;
  if (word === "" && waiting.length === 1 && only !== undefined) return { resume: only.runId };
  const chosen = waiting.find(({ runId }, at) => word === runId || word === String(at + 1));
  if (chosen !== undefined) return { resume: chosen.runId };
  for (const [at, { runId, text }] of waiting.entries()) {
    const lead = `  ${terminal.tint("bold", String(at + 1))}  `;
    logWrapped(shortText(text, 200), terminal, { lead, behind: ` ${terminal.tint("dim", runId)}` });
  }
  if (word !== "") throw new UsageError(words.noneOfThem(waiting.length, word));
  logWrapped(words.severalWait(waiting.length), terminal, { style: "dim" });
  return "done";
}

function history({ conversation, word, terminal, language }: ChatCommandContext): ChatCommandResult {
  const words = cliTexts[language].chat;
  if (!/^\d{0,6}$/.test(word)) throw new UsageError(words.needsNumber);
  const { redactor } = conversation.workspace.engine;
  const shown = conversation.messages.flatMap((message) => {
    const text = textOfMessage(message);
    return text === "" ? [] : [{ role: message.role, text: stripUnsafe(redactor.knownText(text)) }];
  });
  for (const { role, text } of word === "" ? shown : shown.slice(-Number(word) || shown.length)) {
    const mark = role === "user" ? terminal.tint("bold", "›") : terminal.tint("dim", "·");
    terminal.log(`${mark} ${text.replaceAll("\n", "\n  ")}`);
  }
  if (shown.length === 0) terminal.log(words.emptyHistory);
  return "done";
}

/** Text of a user or assistant message; tool results are only for the model. */
function textOfMessage(message: ConversationMessage): string {
  if (message.role !== "user" && message.role !== "assistant") return "";
  return message.content
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n")
    .trim();
}

function usage({ conversation, terminal, language }: ChatCommandContext): ChatCommandResult {
  const { used } = conversation;
  logWrapped(`${cliTexts[language].chat.prompts(used.prompts)}${cliTexts[language].agent.used(used)}`, terminal);
  return "done";
}

async function clear({ conversation, terminal, language }: ChatCommandContext): Promise<ChatCommandResult> {
  await conversation.clear();
  terminal.log(cliTexts[language].chat.forgotten);
  return "done";
}
