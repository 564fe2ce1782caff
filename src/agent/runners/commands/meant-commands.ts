import { fact } from "../../flow/fact.ts";
import type { Flow } from "../../flow/flow.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { type CommandTool, commandNames, lookAtTool } from "./command-tool.ts";
import { type OwnCommand, readOwnCommands } from "./own-commands.ts";
import { type CommandUse, type ReadMessage, type ToldCommand, findCommands, readMessage } from "./read-commands.ts";

/** A command that is to be carried out. */
export interface MeantCommand extends ToldCommand {
  /** Which use of this command it is, from 1. */
  readonly nth: number;
  /** Null where the run has none for it. */
  readonly tool: CommandTool | null;
}

/** A message whose commands are meant. */
export interface MeantMessage extends ReadMessage {
  readonly commands: readonly MeantCommand[];
}

/** More of them are not carried out. */
const mostCommands = 20;

/**
 * Finds out which commands a message gives. One that only looks something up counts wherever it is said; one that changes
 * something counts where it begins a line, and is text elsewhere, as in "What does @memory do?". None counts in what was
 * pasted.
 */
export function* meantCommands(run: AgentRun, text: string, own: readonly OwnCommand[]): Flow<MeantMessage> {
  const { uses, mistyped, pasted } = findCommands(text, commandNames(own));
  for (const { name, near } of mistyped) run.note(`there is no command @${name}; did you mean @${near}?`);
  for (const name of pasted) {
    run.note(
      `@${name} was taken as text: it stands in what looks like a mail or a talk; put it before that, or in a question of its own`,
    );
  }
  if (uses.length === 0) return noCommandsIn(text);
  const { given, tools } = yield* fact("commands", () => settle(run, { text, uses, own }));
  noteLeftOut(run, uses, new Set(given));
  const message = readMessage(text, usesAt(uses, given));
  const counts = new Map<string, number>();
  const commands = message.commands.slice(0, tools.length).map((command, index) => {
    const nth = (counts.get(command.name) ?? 0) + 1;
    counts.set(command.name, nth);
    return { ...command, nth, tool: tools[index] ?? null };
  });
  return { ...message, commands };
}

/** A message that gives none. */
export function noCommandsIn(text: string): MeantMessage {
  return { ...readMessage(text, []), commands: [] };
}

interface Using {
  readonly text: string;
  readonly uses: readonly CommandUse[];
  readonly own: readonly OwnCommand[];
}

/** Which uses count, by their places in the list, and the tools of those that are carried out. Plain JSON. */
interface Settled {
  readonly given: readonly number[];
  readonly tools: readonly (CommandTool | null)[];
}

/** What is said to a command depends on which others are text, and what its call does may depend on that. */
function settle(run: AgentRun, { text, uses, own }: Using): Settled {
  let given = [...uses.keys()];
  for (;;) {
    const message = readMessage(text, usesAt(uses, given));
    const count = given.filter((place) => place < mostCommands).length;
    const tools = message.commands.slice(0, count).map((command) => lookAtTool(run, own, { message, command }));
    const counting = given.filter((place, index) => uses[place]?.begins === true || tools[index]?.writes !== true);
    if (counting.length === given.length) return { given, tools };
    given = counting;
  }
}

function usesAt(uses: readonly CommandUse[], places: readonly number[]): CommandUse[] {
  return places.flatMap((place) => uses[place] ?? []);
}

function noteLeftOut(run: AgentRun, uses: readonly CommandUse[], given: ReadonlySet<number>): void {
  const spoken = new Set(uses.flatMap(({ name }, place) => (given.has(place) ? [] : [name])));
  for (const name of spoken) {
    run.note(
      `@${name} was taken as text: it changes something, and so counts only at the beginning of a line, and not below one such as "Summarise:"`,
    );
  }
  const more = uses.length - mostCommands;
  if (more > 0) run.note(`only the first ${mostCommands} commands were carried out: ${more} more were left out`);
}

/** For where none is carried out: people who use one are told why. */
export function noteCommands(run: AgentRun, text: string, why = "only the runner planned carries out commands"): void {
  const { commands: own } = readOwnCommands(run.spec.options?.["commands"]);
  const names = new Set(findCommands(text, commandNames(own)).uses.map(({ name }) => `@${name}`));
  if (names.size === 0) return;
  const said = [...names].join(", ");
  run.note(`${said} ${names.size === 1 ? "was" : "were"} taken as text: ${why}`);
}
