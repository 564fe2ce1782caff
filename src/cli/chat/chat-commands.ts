import { type ConversationMessage, type ReasoningLanguage, runnerNames } from "../../agent/index.ts";
import { stripUnsafe, suggest } from "../../text/index.ts";
import { agentWords } from "../agent-view/agent-words.ts";
import { checkModel } from "../agent-options.ts";
import { oneLine } from "../format-table.ts";
import { shortText } from "../short-text.ts";
import { tellWrapped } from "../tell-wrapped.ts";
import type { Terminal } from "../terminal.ts";
import { toolTable } from "../tool-table.ts";
import { UsageError } from "../usage-error.ts";
import { type CommandName, chatWords } from "./chat-words.ts";
import type { Talk } from "./talk.ts";

/** What came of a command: the chat goes on, ends, or goes on with a question that waited. */
export type Commanded = "done" | "exit" | { readonly resume: string };

/** What a command is given. */
interface Given {
  readonly talk: Talk;
  /** What stands behind its name. */
  readonly word: string;
  readonly terminal: Terminal;
  readonly language: ReasoningLanguage;
}

const commands: Readonly<Record<CommandName, (given: Given) => Commanded | Promise<Commanded>>> = {
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

/** Does what a line such as `/model fast` says. */
export async function runChatCommand(line: string, given: Omit<Given, "word">): Promise<Commanded> {
  const [, name = "", word = ""] = /^\/(\S*)\s*(.*)$/su.exec(line.trim()) ?? [];
  const known = name === "quit" ? "exit" : name;
  if (isCommand(known)) return commands[known]({ ...given, word: word.trim() });
  const words = chatWords[given.language];
  throw new UsageError(words.noCommand(oneLine(name), suggest(name, Object.keys(commands))), words.beginsWithSlash);
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

function help({ terminal, language }: Given): Commanded {
  const { commands: about, aboutKeys } = chatWords[language];
  const width = Math.max(...Object.keys(about).map(({ length }) => length));
  for (const [name, text] of Object.entries(about)) {
    tellWrapped(text, terminal, { lead: `  ${terminal.tint("bold", `/${name.padEnd(width)}`)}  ` });
  }
  tellWrapped(aboutKeys, terminal, { lead: "  ", style: "dim" });
  return "done";
}

async function tools({ talk, word, terminal, language }: Given): Promise<Commanded> {
  const wanted = word.toLowerCase();
  const found = (await talk.tools()).filter(({ tool: { name, description } }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  const side: Parameters<typeof toolTable>[1] = {
    columns: terminal.sideColumns,
    paint: (style, text) => terminal.tint(style, text),
  };
  for (const line of toolTable(found, side)) terminal.tell(line);
  terminal.tell(terminal.tint("dim", chatWords[language].tools(found.length)));
  return "done";
}

async function model({ talk, word: name, terminal, language }: Given): Promise<Commanded> {
  const { models } = talk.workspace;
  const words = chatWords[language];
  if (name === "") {
    const current = talk.model ?? "default";
    for (const each of models.names) terminal.tell(listed(each, each === current, models.get(each)?.modelId ?? ""));
    if (models.names.length === 0) tellWrapped(words.noModel, terminal);
    return "done";
  }
  checkModel(name, talk.workspace);
  await talk.change({ model: name });
  tellWrapped(words.nextModel(oneLine(name)), terminal);
  return "done";
}

async function runner({ talk, word: name, terminal, language }: Given): Promise<Commanded> {
  if (name === "") {
    for (const each of runnerNames) terminal.tell(listed(each, each === talk.runner));
    return "done";
  }
  await talk.change({ runner: name });
  tellWrapped(chatWords[language].nextRunner(oneLine(name)), terminal);
  return "done";
}

function listed(name: string, isCurrent: boolean, about = ""): string {
  return `${isCurrent ? "*" : " "} ${oneLine(name)}${about === "" ? "" : `  ${oneLine(about)}`}`;
}

async function resume({ talk, word, terminal, language }: Given): Promise<Commanded> {
  const words = chatWords[language];
  const waiting = await talk.waiting();
  if (waiting.length === 0) throw new UsageError(words.nothingWaits);
  const [only] = waiting;
  if (word === "" && waiting.length === 1 && only !== undefined) return { resume: only.runId };
  const chosen = waiting.find(({ runId }, at) => word === runId || word === String(at + 1));
  if (chosen !== undefined) return { resume: chosen.runId };
  for (const [at, { runId, text }] of waiting.entries()) {
    const lead = `  ${terminal.tint("bold", String(at + 1))}  `;
    tellWrapped(shortText(text, 200), terminal, { lead, behind: ` ${terminal.tint("dim", runId)}` });
  }
  if (word !== "") throw new UsageError(words.noneOfThem(waiting.length, word));
  tellWrapped(words.severalWait(waiting.length), terminal, { style: "dim" });
  return "done";
}

function history({ talk, word, terminal, language }: Given): Commanded {
  const words = chatWords[language];
  if (!/^\d{0,6}$/.test(word)) throw new UsageError(words.wantsNumber);
  const { redactor } = talk.workspace.engine;
  const said = talk.messages.flatMap((message) => {
    const text = textOfMessage(message);
    return text === "" ? [] : [{ role: message.role, text: stripUnsafe(redactor.knownText(text)) }];
  });
  for (const { role, text } of word === "" ? said : said.slice(-Number(word) || said.length)) {
    const mark = role === "user" ? terminal.tint("bold", "›") : terminal.tint("dim", "·");
    terminal.tell(`${mark} ${text.replaceAll("\n", "\n  ")}`);
  }
  if (said.length === 0) terminal.tell(words.nothingSaid);
  return "done";
}

/** What somebody said, or the model did; what tools gave is for the model. */
function textOfMessage(message: ConversationMessage): string {
  if (message.role !== "user" && message.role !== "assistant") return "";
  return message.content
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n")
    .trim();
}

function usage({ talk, terminal, language }: Given): Commanded {
  const { used } = talk;
  tellWrapped(`${chatWords[language].questions(used.questions)}${agentWords[language].used(used)}`, terminal);
  return "done";
}

async function clear({ talk, terminal, language }: Given): Promise<Commanded> {
  await talk.clear();
  terminal.tell(chatWords[language].forgotten);
  return "done";
}
