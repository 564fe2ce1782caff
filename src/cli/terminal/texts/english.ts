import { cliCommand } from "../../../base/index.ts";
import type { RunKindId } from "../../../store/index.ts";
import { formatDuration } from "../../../text/index.ts";
import { formatCount } from "../format-figures.ts";
import { type AgentUsage, costOf, tokensOf } from "./agent-usage.ts";

/** Position of an agent's tool call: the part of the run, the round, and the call within the round. */
interface AgentCallPosition {
  readonly part: string | undefined;
  readonly round: string;
  readonly call: number;
}

/** The wait of a step. */
interface ExternalWait {
  readonly step: string;
  readonly event?: string | undefined;
  readonly until?: string | undefined;
}

/** Final state of an approval that was decided in another process while it was prompted for here. */
type RemoteDecision = "approved" | "rejected" | "expired";

/** Runner and model of a chat, and the length of its history. */
interface Greeting {
  readonly runner: string;
  /** Undefined if no model is configured. */
  readonly model: string | undefined;
  readonly tools: number;
  readonly messages: number;
}

/** The English texts of the CLI for users of agents. Errors are reported in English only. */
export const english = {
  /** Texts about a run of an agent, in the language of its prompt. */
  agent: {
    began: (runner: string, runId: string): string => `${runner}: run ${runId}`,
    ended: (state: string, ms: number): string => `${state}, ${formatDuration(ms)}`,
    before: (calls: number): string => `${formatCount(calls, "call")} made earlier`,
    retrying: "the stream was interrupted; retrying",
    called: (
      tool: string,
      { well, ms, detail }: { readonly well: boolean; readonly ms: number; readonly detail: string },
    ): string =>
      `${tool}: ${well ? "done in" : "failed after"} ${formatDuration(ms)}${detail === "" ? "" : `; ${detail}`}`,
    waits: (tool: string, approvalId: string, message: string): string =>
      `${tool} waits for approval ${approvalId}: ${message}`,
    decided: (tool: string, approved: boolean): string => `${tool} ${approved ? "approved" : "rejected"}`,
    used: (used: AgentUsage): string => {
      const [tokens, cost] = [tokensOf(used), costOf(used)];
      return [
        formatCount(used.calls, "tool call"),
        formatCount(used.rounds, "model request"),
        ...(tokens > 0 ? [`${used.usage.estimated === true ? "about " : ""}${formatCount(tokens, "token")}`] : []),
        ...(cost === undefined ? [] : [`cost ${cost} (in the currency of the configured price)`]),
      ].join(", ");
    },
    stopping: "Cancelling; press Ctrl-C again to exit immediately (resume later).",
    releasing: "Releasing the run: running calls may finish, no new ones start.",
    stopped: "Stopped; this prompt is not added to the conversation.",
    /** Shown below a partial answer. */
    cut: "(incomplete answer)",
    /** Shown below an answer that the model could not complete. */
    cutOff: "(incomplete: the model reached its token limit; prompt it to continue, or raise max_tokens)",
    /** A notice for the user. */
    note: (text: string): string => `note: ${text}`,
    released: (runId: string, command: string): string => `Run ${runId} was interrupted. Continue with: ${command}`,
    resumeHint: (command: string): string => `continue with: ${command}`,
    effects: {
      pure: "changes nothing",
      read: "read-only",
      idempotent: "makes changes, may be repeated",
      once: "makes changes, must not be repeated",
    },
    /** Reason for an approval: a rule, or untrusted content if there is none. */
    approvalReason: (effect: string, rule: string | undefined): string =>
      `${effect}; needs approval because ${rule === undefined ? "the conversation contains untrusted content" : `of the rule ${rule}`}`,
  },
  /** Texts of the approval prompt around the arguments, in the language of the user's prompt. */
  approvals: {
    /** Translates the engine's approval message. */
    message: (message: string): string => message,
    /** The final prompt, with the keys that it accepts. */
    approve: "Approve? [y/n, Enter to decide later] ",
    /** Shown if the input is not one of the accepted answers. */
    unclear: "Type y to approve, n to reject, or press Enter to decide later.",
    /** Reports input that was typed before the prompt appeared. */
    forgotten: (typed: string): string => `ignored input typed before the prompt: ${typed}`,
    /** Reports input that was typed while no prompt was open. */
    unused: (typed: string): string => `ignored input typed while no prompt was open: ${typed}`,
    /** Reports an answer that was typed after the approval had been decided elsewhere. */
    notSent: (typed: string): string =>
      `not sent, because the approval was decided elsewhere: ${typed}; type it again to send it`,
    /** Reports a decision that was made elsewhere while the prompt was open here. */
    elsewhere: (how: RemoteDecision, by: string | undefined): string =>
      how === "expired" ? "expired before it was decided" : `${how} elsewhere${by === undefined ? "" : ` by ${by}`}`,
    omitted: (size: string, command: string): string => `… ${size} omitted; show all with: ${command} …`,
    waiting: "waiting:",
    needs: (runId: string, decisions: number): string =>
      `run ${runId} needs ${decisions === 1 ? "an approval" : formatCount(decisions, "approval")}`,
    /** The run was submitted, its approvals are decided, or a process without its tools gave it back. */
    awaitsWorker: (runId: string, command: string): string =>
      `run ${runId} waits for a worker, not for an approval. Continue with: ${command}`,
    /** A step waits for an event, a time or both. */
    externalWait: ({ step, event, until }: ExternalWait): string =>
      `${step} waits${event === undefined ? "" : ` for the event ${event}`}${until === undefined ? "" : ` until ${until}`}`,
    /** The command that delivers an event, or what continues the run. */
    sendEvent: (command: string): string => `deliver the event with: ${command}`,
    continuedBy: (command: string): string =>
      `a process that serves runs continues the run; or continue it with: ${command}`,
    position: ({ part, round, call }: AgentCallPosition): string =>
      `${part === undefined ? "" : `${part}, `}round ${round}, call ${call}`,
    /** The effect of a decision on calls of an agent, on steps of a chain, or on a durable call. */
    afterwards: (kind: RunKindId): string => `both approve and reject resume the run; ${afterRejection[kind]}`,
  },
  /** Texts of the chat, in the language of the conversation. */
  chat: {
    greeting: ({ runner, model = "no model", tools, messages }: Greeting): string => {
      const before = messages === 0 ? "" : `, ${formatCount(messages, "message")} so far`;
      return `${runner} with ${model} and ${formatCount(tools, "tool")}${before}; /help lists the commands`;
    },
    /** Shown if the runner needs a model and none is configured. */
    withoutModel: "/runner vault answers from your notes without a model",
    exitAgain: "Press Ctrl-C again to exit.",
    /** Descriptions of the commands. */
    commands: {
      help: "show this help",
      tools: "list the tools of the model; with WORD, only matching ones",
      model: "list the models; with NAME, switch to one",
      runner: "list the runners; with NAME, switch to one",
      resume: "resume a prompt that waits for approval; with NUMBER if there are several",
      history: "show the conversation history; with NUMBER, only the last messages",
      usage: "show the usage of this session",
      clear: "clear the conversation history",
      exit: "exit; Ctrl-D does the same",
    },
    aboutKeys: "Ctrl-C stops the current answer; pressed twice on an empty line, it exits.",
    noCommand: (name: string, near: string | undefined): string =>
      `unknown command /${name}; ${near === undefined ? "/help lists the commands" : `did you mean /${near}?`}`,
    beginsWithSlash: "to send a prompt that begins with /, type a space before it",
    tools: (count: number): string => formatCount(count, "tool"),
    noModel: (): string => `No model is configured; for details: ${cliCommand("doctor")}`,
    nextModel: (name: string): string => `The next prompt goes to ${name}.`,
    nextRunner: (name: string): string => `The next prompt uses ${name}.`,
    nothingWaits: "no prompt waits for approval",
    severalWait: (count: number): string => `${waiting(count)}; resume one with: /resume NUMBER`,
    noneOfThem: (count: number, word: string): string => `${waiting(count)}; none of them is ${JSON.stringify(word)}`,
    needsNumber: "/history takes the number of messages to show",
    emptyHistory: "No messages yet.",
    prompts: (count: number): string => `${formatCount(count, "prompt")}: `,
    forgotten: "History cleared.",
  },
  /** Texts of the reasoning block. */
  block: {
    states: {
      thinking: "thinking",
      working: "working",
      answering: "answering",
      waiting: "waiting for approval",
      interrupted: "interrupted",
      completed: "answered",
      failed: "failed",
      cancelled: "cancelled",
    },
    elapsed: (time: string): string => time,
    earlier: (steps: number): string => `… ${steps} earlier`,
    /** Marks a call that the user ordered. */
    byCommand: " (by command)",
  },
};

/** The texts of the CLI for users of agents, in one language. */
export type CliTextTable = typeof english;

/** Texts about a run of an agent. */
export type AgentTexts = CliTextTable["agent"];

/** Texts of the approval prompt. */
export type ApprovalTexts = CliTextTable["approvals"];

/** The commands of a chat. */
export type CommandName = keyof CliTextTable["chat"]["commands"];

const afterRejection: Readonly<Record<RunKindId, string>> = {
  agent: "after reject it continues without the call",
  chain: "a rejected step fails, and its error_handling decides what follows",
  call: "a rejected call is not made, and the run fails",
};

function waiting(count: number): string {
  return `${formatCount(count, "prompt")} ${count === 1 ? "waits" : "wait"} for approval`;
}
