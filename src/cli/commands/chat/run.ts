import { worksAlone } from "../../../app/index.ts";
import type { AgentExecuteOptions, AgentResult, ReasoningLanguage } from "../../../agent/index.ts";
import { detectLanguage } from "../../../text/index.ts";
import type { AgentTexts } from "../../terminal/texts/english.ts";
import { cliTexts } from "../../terminal/texts/cli-texts.ts";
import { isFailureError } from "../../../base/index.ts";
import { isModelMissing } from "../../../model/index.ts";
import { agentOptions, followAgent } from "../../open/agent-session.ts";
import { runChatCommand } from "./chat-commands.ts";
import { type LineInput, type TerminalInputEvent, terminalInput } from "./terminal-input.ts";
import { ChatConversation } from "./chat-conversation.ts";
import { TypeAhead } from "../../terminal/type-ahead.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { notTextFailure } from "../ask/read-prompt.ts";
import { reportBrokenFiles } from "../../open/open-tools.ts";
import { prepareForAgent } from "../../open/prepare-servers.ts";
import { codeOf, reportFormattedError, hintsWithoutModel } from "../../program/report-error.ts";
import { type LocalSession, withSession, openForRuns } from "../../open/run-session.ts";
import { reportAgentResult } from "../../open/report-agent-result.ts";
import { reportTyped } from "../../approvals/show-approval.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import { logWrapped } from "../../terminal/log-wrapped.ts";
import { UsageError, isUsageError } from "../../program/usage-error.ts";
import { watchInterrupts } from "../../program/watch-interrupts.ts";
import { parseYesNo } from "../../terminal/prompt-yes-no.ts";
import { isUtf8 } from "node:buffer";
import { createInterface } from "node:readline";

/** `windlass chat`. */
export const chatWithAgent: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  const opened = await openForRuns(invocation);
  const { workspace } = opened;
  try {
    const conversation = await ChatConversation.open(
      workspace,
      agentOptions(invocation, workspace),
      invocation.text("conversation"),
    );
    await prepareForAgent(conversation, { workspace, terminal });
    reportBrokenFiles(workspace, invocation);
    warnUnmatchedRules(workspace, invocation);
    const ahead = terminal.interactive ? new TypeAhead() : undefined;
    const input = ahead === undefined ? pipedInput() : terminalInput(terminal.tint("bold", "› "), ahead);
    if (terminal.interactive) await greet(conversation, invocation);
    try {
      return await new Chat({
        invocation,
        conversation,
        input,
        ahead,
        turn: (work) => withSession(opened, invocation, work),
      }).run();
    } finally {
      input.close();
    }
  } finally {
    await opened.close();
  }
};

interface ChatDeps {
  readonly invocation: Invocation;
  readonly conversation: ChatConversation;
  readonly input: LineInput;
  /** Buffers input that is typed while a prompt is answered; undefined if stdin is not a terminal. */
  readonly ahead: TypeAhead | undefined;
  /** Runs one prompt, which Ctrl-C stops without ending the chat. */
  readonly turn: (work: (session: LocalSession) => Promise<ExitCode>) => Promise<ExitCode>;
}

/** Input from a file or another program is untrusted, as with `ask -`. */
const isTyped = process.stdin.isTTY;

class Chat {
  readonly #parts: ChatDeps;
  /** The worst exit code of any prompt, for callers without a terminal. */
  #worst: ExitCode = exitCodes.ok;
  #isExiting = false;
  #hasInput = false;
  /** Language of the last prompt. */
  #language: ReasoningLanguage;
  /** True if an approval of the last prompt was decided elsewhere. */
  #decidedElsewhere = false;
  /** Exit code of a signal that ends the whole chat, not just one answer. */
  #ended: ExitCode | undefined;

  constructor(parts: ChatDeps) {
    this.#parts = parts;
    this.#language = parts.conversation.language;
  }

  async run(): Promise<ExitCode> {
    const { terminal } = this.#parts.invocation;
    for (;;) {
      const typed = await this.#next();
      const outcome = typed.kind === "line" ? await this.#line(typed.text) : this.#without(typed);
      if (this.#ended !== undefined) return this.#ended;
      if (outcome === "exit") break;
    }
    if (!terminal.interactive && !this.#hasInput) throw new UsageError("no prompts: each line of stdin is one prompt");
    if (terminal.interactive) reportHowToContinue(this.#parts, cliTexts[this.#language].agent);
    // At a terminal the user has already seen the errors.
    return terminal.interactive ? exitCodes.ok : this.#worst;
  }

  async #next(): Promise<TerminalInputEvent> {
    const ending = watchInterrupts();
    ending.arm({ onStop: () => {} });
    try {
      return await this.#parts.input.next(ending.signal);
    } finally {
      this.#ended = ending.code;
      ending.dispose();
    }
  }

  /**
   * Handles an event other than a line: end of input, invalid text, or Ctrl-C, which exits the second time in a row.
   */
  #without(typed: Exclude<TerminalInputEvent, { kind: "line" }>): "exit" | "done" {
    if (typed.kind === "end") return "exit";
    if (typed.kind === "unreadable") {
      this.#hasInput = true;
      this.#reportFailure(notTextFailure(typed.source));
      return "done";
    }
    if (typed.cleared) return "done";
    if (this.#isExiting) return "exit";
    this.#isExiting = true;
    logWrapped(cliTexts[this.#language].chat.exitAgain, this.#parts.invocation.terminal, { style: "dim" });
    return "done";
  }

  async #line(text: string): Promise<"exit" | "done"> {
    const { conversation, invocation } = this.#parts;
    this.#isExiting = false;
    if (text.trim() === "") return "done";
    this.#hasInput = true;
    if (this.#isLateAnswer(text)) return "done";
    try {
      if (!text.startsWith("/")) {
        this.#language = detectLanguage(text);
        await this.#runTurn((how) => conversation.send(text.trim(), { ...how, untrusted: !isTyped }));
      } else {
        const { terminal } = invocation;
        const result = await runChatCommand(text, { conversation, terminal, language: this.#language });
        if (result === "exit") return "exit";
        if (result !== "done") await this.#runTurn((how) => conversation.resume(result.resume, how));
      }
    } catch (error) {
      this.#reportFailure(error);
    }
    return "done";
  }

  /**
   * A yes or no that was typed for an approval that had been decided elsewhere: sent to the model, it would mean
   * something else.
   */
  #isLateAnswer(text: string): boolean {
    const isLate = this.#decidedElsewhere && parseYesNo(text) !== undefined;
    this.#decidedElsewhere = false;
    if (isLate) reportTyped(text, this.#parts.invocation.terminal, cliTexts[this.#language].approvals.notSent);
    return isLate;
  }

  async #runTurn(execute: (how: AgentExecuteOptions) => Promise<AgentResult>): Promise<void> {
    const code = await this.#parts.turn(async (session) => {
      const result = await followAgent(session, execute, this.#parts.ahead);
      const code = await reportAgentResult(result, session);
      this.#language = session.language;
      this.#decidedElsewhere = session.decidedElsewhere;
      const { terminal } = session.invocation;
      if (result.status === "cancelled") logWrapped(cliTexts[session.language].agent.stopped, terminal);
      return code;
    });
    if (code !== exitCodes.ok) this.#worst = code;
    const { interactive } = this.#parts.invocation.terminal;
    if (code === exitCodes.terminated || (code === exitCodes.interrupted && !interactive)) this.#ended = code;
  }

  /** An error in a prompt or a command does not change the conversation. */
  #reportFailure(error: unknown): void {
    const { terminal } = this.#parts.invocation;
    if (isUsageError(error)) reportFormattedError(terminal, { message: error.message, hints: error.hints });
    else if (isFailureError(error)) {
      const hints = isModelMissing(error) ? hintsWithoutModel() : [];
      reportFormattedError(terminal, { message: error.message, code: codeOf(error), hints });
    } else throw error;
    this.#worst = exitCodes.usage;
  }
}

async function greet(conversation: ChatConversation, { terminal }: Invocation): Promise<void> {
  const { models } = conversation.workspace;
  const words = cliTexts[conversation.language].chat;
  const model = models.get(conversation.model)?.modelId;
  const [runner, tools] = [toOneLine(conversation.runner), (await conversation.tools()).length];
  const agent = {
    runner,
    tools,
    messages: conversation.length,
    model: model === undefined ? undefined : toOneLine(model),
  };
  logWrapped(words.greeting(agent), terminal, { style: "dim" });
  if (model !== undefined || worksAlone.has(conversation.runner)) return;
  const [first = "", ...lines] = models.none(runner).message.split("\n");
  logWrapped(first, terminal, { lead: `${terminal.tint("yellow", "note:")} ` });
  // Printed unwrapped, to be copied.
  for (const line of lines) terminal.log(line);
  logWrapped(words.withoutModel, terminal, { lead: "  ", style: "cyan" });
}

function reportHowToContinue({ conversation, invocation }: ChatDeps, words: AgentTexts): void {
  if (conversation.length === 0) return;
  const { terminal } = invocation;
  const again = commandLine(invocation, "chat", "--conversation", conversation.conversationId);
  terminal.log(terminal.tint("dim", words.resumeHint(again)));
}

/** Reads lines from a file or another program, one after another. */
function pipedInput(input: NodeJS.ReadableStream = process.stdin): LineInput {
  // One character per byte, so that each line can be checked as UTF-8.
  const reader = createInterface({ input: input.setEncoding("latin1"), terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  let count = 0;
  return {
    next: async (signal) => {
      const stopped = Promise.withResolvers<undefined>();
      const stop = (): void => stopped.resolve(undefined);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      try {
        const next = await Promise.race([lines.next(), stopped.promise]);
        if (next === undefined || next.done === true) return { kind: "end" };
        return readLine(Buffer.from(next.value, "latin1"), `line ${++count} of stdin`);
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    close: () => reader.close(),
  };
}

/** Throws if the line is not text: an image also has lines, and each would be sent as a prompt. */
function readLine(bytes: Buffer, source: string): TerminalInputEvent {
  if (bytes.includes(0)) throw notTextFailure(source);
  return isUtf8(bytes) ? { kind: "line", text: bytes.toString("utf8") } : { kind: "unreadable", source };
}
