import { type AgentExecuteOptions, type AgentResult, type ReasoningLanguage, languageOf } from "../../agent/index.ts";
import { isFailureError } from "../../base/index.ts";
import { isUnasked } from "../../model/index.ts";
import { agentOptions } from "../agent-options.ts";
import { followAgent } from "../agent-session.ts";
import { type AgentWords, agentWords } from "../agent-view/agent-words.ts";
import { runChatCommand } from "../chat/chat-commands.ts";
import { chatWords } from "../chat/chat-words.ts";
import type { LineInput, Typed } from "../chat/line-input.ts";
import { pipedInput } from "../chat/piped-input.ts";
import { Talk } from "../chat/talk.ts";
import { terminalInput } from "../chat/terminal-input.ts";
import { TypedAhead } from "../typed-ahead.ts";
import type { RunCommand } from "../command-spec.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { worksAlone } from "../examine-agent.ts";
import { oneLine } from "../format-table.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { notText } from "../not-text.ts";
import { tellBroken } from "../open-tools.ts";
import { prepareForAgent } from "../prepare-servers.ts";
import { questionWords } from "../question-words.ts";
import { codeOf, tellError, withoutModel } from "../report-error.ts";
import { type RunSession, inTurn, openForRuns } from "../run-session.ts";
import { tellAgent } from "../tell-agent.ts";
import { tellNotSent } from "../tell-question.ts";
import { tellUnguarded } from "../tell-unguarded.ts";
import { tellWrapped } from "../tell-wrapped.ts";
import { UsageError } from "../usage-error.ts";
import { watchInterrupts } from "../watch-interrupts.ts";
import { yesOrNo } from "../yes-or-no.ts";

/** `windlass chat`. */
export const chatWithAgent: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  const opened = await openForRuns(invocation);
  const { workspace } = opened;
  try {
    const talk = await Talk.open(workspace, agentOptions(invocation, workspace), invocation.text("conversation"));
    await prepareForAgent(talk, { workspace, terminal });
    tellBroken(workspace, invocation);
    tellUnguarded(workspace, invocation);
    const ahead = terminal.interactive ? new TypedAhead() : undefined;
    const input = ahead === undefined ? pipedInput() : terminalInput(terminal.tint("bold", "› "), ahead);
    if (terminal.interactive) await greet(talk, invocation);
    try {
      return await new Chat({ invocation, talk, input, ahead, turn: (work) => inTurn(opened, invocation, work) }).run();
    } finally {
      input.close();
    }
  } finally {
    await opened.close();
  }
};

interface ChatParts {
  readonly invocation: Invocation;
  readonly talk: Talk;
  readonly input: LineInput;
  /** What is typed while a question is answered; undefined where nobody types. */
  readonly ahead: TypedAhead | undefined;
  /** Runs one question, which Ctrl-C stops without ending the chat. */
  readonly turn: (work: (session: RunSession) => Promise<ExitCode>) => Promise<ExitCode>;
}

/** What comes from a file or another program may be anybody's, as with `ask -`. */
const isTyped = process.stdin.isTTY;

class Chat {
  readonly #parts: ChatParts;
  /** The worst that came of a question, for whoever runs this without a terminal. */
  #worst: ExitCode = exitCodes.ok;
  #leaving = false;
  #heard = false;
  /** Of the last question. */
  #language: ReasoningLanguage;
  /** What was asked of the person in the last question was decided by somebody else. */
  #decidedElsewhere = false;
  /** The code that a signal asked for which is about more than one answer. */
  #ended: ExitCode | undefined;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#language = parts.talk.language;
  }

  async run(): Promise<ExitCode> {
    const { invocation } = this.#parts;
    const { terminal } = invocation;
    for (;;) {
      const typed = await this.#next();
      const came = typed.kind === "line" ? await this.#line(typed.text) : this.#without(typed);
      if (this.#ended !== undefined) return this.#ended;
      if (came === "exit") break;
    }
    if (!terminal.interactive && !this.#heard) throw new UsageError("there is no question: each line of stdin is one");
    if (terminal.interactive) tellHowToGoOn(this.#parts, agentWords[this.#language]);
    // Whoever sat here has seen what went wrong.
    return terminal.interactive ? exitCodes.ok : this.#worst;
  }

  async #next(): Promise<Typed> {
    const ending = watchInterrupts();
    ending.arm({ onStop: () => {} });
    try {
      return await this.#parts.input.next(ending.signal);
    } finally {
      this.#ended = ending.code;
      ending.dispose();
    }
  }

  /** No line: there are no more, or it is no text, or somebody pressed Ctrl-C, which leaves the second time in a row. */
  #without(typed: Exclude<Typed, { kind: "line" }>): "exit" | "done" {
    if (typed.kind === "end") return "exit";
    if (typed.kind === "unreadable") {
      this.#heard = true;
      this.#tellFailure(notText(typed.what));
      return "done";
    }
    if (typed.cleared) return "done";
    if (this.#leaving) return "exit";
    this.#leaving = true;
    tellWrapped(chatWords[this.#language].leaveAgain, this.#parts.invocation.terminal, { style: "dim" });
    return "done";
  }

  async #line(text: string): Promise<"exit" | "done"> {
    const { talk, invocation } = this.#parts;
    this.#leaving = false;
    if (text.trim() === "") return "done";
    this.#heard = true;
    if (this.#isLateAnswer(text)) return "done";
    try {
      if (!text.startsWith("/")) {
        this.#language = languageOf(text);
        await this.#ask((how) => talk.ask(text.trim(), { ...how, fromOutside: !isTyped }));
      } else {
        const { terminal } = invocation;
        const came = await runChatCommand(text, { talk, terminal, language: this.#language });
        if (came === "exit") return "exit";
        if (came !== "done") await this.#ask((how) => talk.resume(came.resume, how));
      }
    } catch (error) {
      this.#tellFailure(error);
    }
    return "done";
  }

  /** A yes or no that was typed for an approval, when that was decided elsewhere: for the model it would mean something else. */
  #isLateAnswer(text: string): boolean {
    const isLate = this.#decidedElsewhere && yesOrNo(text) !== undefined;
    this.#decidedElsewhere = false;
    if (isLate) tellNotSent(text, this.#parts.invocation.terminal, questionWords[this.#language]);
    return isLate;
  }

  async #ask(execute: (how: AgentExecuteOptions) => Promise<AgentResult>): Promise<void> {
    const code = await this.#parts.turn(async (session) => {
      const result = await followAgent(session, execute, this.#parts.ahead);
      const code = await tellAgent(result, session);
      this.#language = session.language;
      this.#decidedElsewhere = session.decidedElsewhere;
      const { terminal } = session.invocation;
      if (result.status === "cancelled") tellWrapped(agentWords[session.language].stopped, terminal);
      return code;
    });
    if (code !== exitCodes.ok) this.#worst = code;
    const { interactive } = this.#parts.invocation.terminal;
    if (code === exitCodes.terminated || (code === exitCodes.interrupted && !interactive)) this.#ended = code;
  }

  /** What goes wrong with a question or a command leaves the conversation as it is. */
  #tellFailure(error: unknown): void {
    const { terminal } = this.#parts.invocation;
    if (error instanceof UsageError) tellError(terminal, { message: error.message, hints: error.hints });
    else if (isFailureError(error)) {
      const hints = isUnasked(error) ? withoutModel : [];
      tellError(terminal, { message: error.message, code: codeOf(error), hints });
    } else throw error;
    this.#worst = exitCodes.usage;
  }
}

async function greet(talk: Talk, { terminal }: Invocation): Promise<void> {
  const { models } = talk.workspace;
  const words = chatWords[talk.language];
  const model = models.get(talk.model)?.modelId;
  const [runner, tools] = [oneLine(talk.runner), (await talk.tools()).length];
  const who = { runner, tools, messages: talk.length, model: model === undefined ? undefined : oneLine(model) };
  tellWrapped(words.greeting(who), terminal, { style: "dim" });
  if (model !== undefined || worksAlone.has(talk.runner)) return;
  const [first = "", ...lines] = models.none(runner).message.split("\n");
  tellWrapped(first, terminal, { lead: `${terminal.tint("yellow", "note:")} ` });
  // To be copied as they are.
  for (const line of lines) terminal.tell(line);
  tellWrapped(words.withoutModel, terminal, { lead: "  ", style: "cyan" });
}

function tellHowToGoOn({ talk, invocation }: ChatParts, words: AgentWords): void {
  if (talk.length === 0) return;
  const { terminal } = invocation;
  const again = commandLine(invocation, "chat", "--conversation", talk.conversationId);
  terminal.tell(terminal.tint("dim", words.goesOn(again)));
}
