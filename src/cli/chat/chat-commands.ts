import type { ConversationMessage } from "../../agent/index.ts";
import { agentRunners } from "../../app/index.ts";
import { stripUnsafe, suggest } from "../../text/index.ts";
import { agentWords } from "../agent-view/agent-words.ts";
import { checkModel } from "../agent-options.ts";
import { formatCount } from "../format-figures.ts";
import { oneLine } from "../format-table.ts";
import { shortText } from "../short-text.ts";
import { tellWrapped } from "../tell-wrapped.ts";
import type { Terminal } from "../terminal.ts";
import { toolTable } from "../tool-table.ts";
import { UsageError } from "../usage-error.ts";
import type { Talk } from "./talk.ts";

/** What came of a command: the chat goes on, ends, or goes on with a question that waited. */
export type Commanded = "done" | "exit" | { readonly resume: string };

interface ChatCommand {
  readonly name: string;
  readonly about: string;
  readonly run: (talk: Talk, word: string, terminal: Terminal) => Commanded | Promise<Commanded>;
}

const commands: readonly ChatCommand[] = [
  { name: "help", about: "what can be typed", run: (_talk, _word, terminal) => help(terminal) },
  { name: "tools", about: "the tools that the model may use; with a WORD those that have it", run: tools },
  { name: "model", about: "the models, or with a NAME go on with another", run: model },
  { name: "runner", about: "the ways of using tools, or with a NAME go on with another", run: runner },
  {
    name: "resume",
    about: "go on with a question that waited for a decision; with its NUMBER where several do",
    run: resume,
  },
  { name: "history", about: "what was said so far; with a NUMBER the last so many messages", run: history },
  { name: "usage", about: "what the questions took that were asked here", run: usage },
  { name: "clear", about: "forget what was said", run: clear },
  { name: "exit", about: "leave; so does Ctrl-D", run: () => "exit" },
];

/** Does what a line such as `/model fast` says. */
export async function runChatCommand(line: string, talk: Talk, terminal: Terminal): Promise<Commanded> {
  const [, name = "", word = ""] = /^\/(\S*)\s*(.*)$/su.exec(line.trim()) ?? [];
  const command = commands.find((each) => each.name === name || (name === "quit" && each.name === "exit"));
  if (command === undefined) {
    const near = suggest(
      name,
      commands.map((each) => each.name),
    );
    const hint = near === undefined ? "/help lists what there is" : `did you mean /${near}?`;
    throw new UsageError(
      `there is no /${oneLine(name)}; ${hint}`,
      "a question that begins with / needs a space in front",
    );
  }
  return command.run(talk, word.trim(), terminal);
}

function help(terminal: Terminal): Commanded {
  const width = Math.max(...commands.map(({ name }) => name.length));
  for (const { name, about } of commands) {
    tellWrapped(about, terminal, { lead: `  ${terminal.tint("bold", `/${name.padEnd(width)}`)}  ` });
  }
  tellWrapped("Ctrl-C stops an answer; twice where nothing is typed, it leaves.", terminal, {
    lead: "  ",
    style: "dim",
  });
  return "done";
}

async function tools(talk: Talk, word: string, terminal: Terminal): Promise<Commanded> {
  const wanted = word.toLowerCase();
  const found = (await talk.tools()).filter(({ tool: { name, description } }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  for (const line of toolTable(found, terminal)) terminal.tell(line);
  terminal.tell(terminal.tint("dim", formatCount(found.length, "tool")));
  return "done";
}

async function model(talk: Talk, name: string, terminal: Terminal): Promise<Commanded> {
  const { models } = talk.workspace;
  if (name === "") {
    const current = talk.model ?? "default";
    for (const each of models.names) terminal.tell(listed(each, each === current, models.get(each)?.modelId ?? ""));
    if (models.names.length === 0) terminal.tell("There is none; windlass doctor says what to set.");
    return "done";
  }
  checkModel(name, talk.workspace);
  await talk.change({ model: name });
  terminal.tell(`The next question goes to ${oneLine(name)}.`);
  return "done";
}

async function runner(talk: Talk, name: string, terminal: Terminal): Promise<Commanded> {
  if (name === "") {
    for (const each of agentRunners) terminal.tell(listed(each, each === talk.runner));
    return "done";
  }
  await talk.change({ runner: name });
  terminal.tell(`The next question is for ${oneLine(name)}.`);
  return "done";
}

function listed(name: string, isCurrent: boolean, about = ""): string {
  return `${isCurrent ? "*" : " "} ${oneLine(name)}${about === "" ? "" : `  ${oneLine(about)}`}`;
}

async function resume(talk: Talk, word: string, terminal: Terminal): Promise<Commanded> {
  const waiting = await talk.waiting();
  if (waiting.length === 0) throw new UsageError("no question waits for a decision");
  const [only] = waiting;
  if (word === "" && waiting.length === 1 && only !== undefined) return { resume: only.runId };
  const chosen = waiting.find(({ runId }, at) => word === runId || word === String(at + 1));
  if (chosen !== undefined) return { resume: chosen.runId };
  for (const [at, { runId, text }] of waiting.entries()) {
    terminal.tell(
      `  ${terminal.tint("bold", String(at + 1))}  ${shortText(text, 200)}  ${terminal.tint("dim", runId)}`,
    );
  }
  const which = `${formatCount(waiting.length, "question")} wait`;
  if (word === "") terminal.tell(terminal.tint("dim", `${which}; /resume NUMBER goes on with one`));
  else throw new UsageError(`${which}${waiting.length === 1 ? "s" : ""}, and none is ${JSON.stringify(word)}`);
  return "done";
}

function history({ messages, workspace }: Talk, word: string, terminal: Terminal): Commanded {
  if (!/^\d{0,6}$/.test(word)) throw new UsageError("/history takes a number: how many of the last messages");
  const { redactor } = workspace.engine;
  const said = messages.flatMap((message) => {
    const text = textOfMessage(message);
    return text === "" ? [] : [{ role: message.role, text: stripUnsafe(redactor.text(text)) }];
  });
  for (const { role, text } of word === "" ? said : said.slice(-Number(word) || said.length)) {
    const mark = role === "user" ? terminal.tint("bold", "›") : terminal.tint("dim", "·");
    terminal.tell(`${mark} ${text.replaceAll("\n", "\n  ")}`);
  }
  if (said.length === 0) terminal.tell("Nothing was said so far.");
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

function usage({ used }: Talk, _word: string, terminal: Terminal): Commanded {
  terminal.tell(`${formatCount(used.questions, "question")}: ${agentWords.en.used(used)}`);
  return "done";
}

async function clear(talk: Talk, _word: string, terminal: Terminal): Promise<Commanded> {
  await talk.clear();
  terminal.tell("Forgotten.");
  return "done";
}
