import { agentRunners } from "../../app/index.ts";
import { suggest } from "../../text/index.ts";
import { checkModel } from "../agent-options.ts";
import { formatCount } from "../format-figures.ts";
import { oneLine } from "../format-table.ts";
import type { Terminal } from "../terminal.ts";
import { toolTable } from "../tool-table.ts";
import { UsageError } from "../usage-error.ts";
import type { Talk } from "./talk.ts";

/** What came of a command: the chat goes on, ends, or goes on with a question that waited. */
export type Commanded = "done" | "exit" | "resume";

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
  { name: "resume", about: "go on with the question that waited for a decision", run: resume },
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
    terminal.tell(`  ${terminal.tint("bold", `/${name.padEnd(width)}`)}  ${about}`);
  }
  terminal.tell(terminal.tint("dim", "  Ctrl-C stops an answer; twice where nothing is typed, it leaves."));
  return "done";
}

function tools({ workspace }: Talk, word: string, terminal: Terminal): Commanded {
  const { engine } = workspace;
  const wanted = word.toLowerCase();
  const found = engine.tools
    .list()
    .filter(({ tool }) => engine.isAvailable(tool))
    .filter(({ tool: { name, description } }) => `${name} ${description}`.toLowerCase().includes(wanted));
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

function resume({ waiting }: Talk): Commanded {
  if (waiting === undefined) throw new UsageError("no question waits for a decision");
  return "resume";
}

function clear(talk: Talk, _word: string, terminal: Terminal): Commanded {
  talk.clear();
  terminal.tell("Forgotten.");
  return "done";
}
