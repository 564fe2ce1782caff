import { cliCommand } from "../../../base/index.ts";
import type { RunKindId } from "../../../store/index.ts";
import { formatDuration } from "../../../text/index.ts";
import { costOf, tokensOf, type CliTextTable } from "./cli-text-table.ts";
import { formatCount } from "../format-figures.ts";

/** The English texts of the CLI. */
export const english: CliTextTable = {
  agent: {
    began: (runner, runId) => `${runner}: run ${runId}`,
    ended: (state, ms) => `${state}, ${formatDuration(ms)}`,
    before: (calls) => `${formatCount(calls, "call")} made earlier`,
    retrying: "the stream was interrupted; retrying",
    called: (tool, { well, ms, detail }) =>
      `${tool}: ${well ? "done in" : "failed after"} ${formatDuration(ms)}${detail === "" ? "" : `; ${detail}`}`,
    waits: (tool, approvalId, message) => `${tool} waits for approval ${approvalId}: ${message}`,
    decided: (tool, approved) => `${tool} ${approved ? "approved" : "rejected"}`,
    used: (used) => {
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
    cut: "(incomplete answer)",
    cutOff: "(incomplete: the model reached its token limit; prompt it to continue, or raise max_tokens)",
    note: (text) => `note: ${text}`,
    released: (runId, command) => `Run ${runId} was interrupted. Continue with: ${command}`,
    resumeHint: (command) => `continue with: ${command}`,
    effects: {
      pure: "changes nothing",
      read: "read-only",
      idempotent: "makes changes, may be repeated",
      once: "makes changes, must not be repeated",
    },
    approvalReason: (effect, rule) =>
      `${effect}; needs approval because ${rule === undefined ? "the conversation contains untrusted content" : `of the rule ${rule}`}`,
  },
  approvals: {
    message: (message) => message,
    approve: "Approve? [y/n, Enter to decide later] ",
    unclear: "Type y to approve, n to reject, or press Enter to decide later.",
    forgotten: (typed) => `ignored input typed before the prompt: ${typed}`,
    unused: (typed) => `ignored input typed while no prompt was open: ${typed}`,
    notSent: (typed) => `not sent, because the approval was decided elsewhere: ${typed}; type it again to send it`,
    elsewhere: (how, by) =>
      how === "expired" ? "expired before it was decided" : `${how} elsewhere${by === undefined ? "" : ` by ${by}`}`,
    omitted: (size, command) => `… ${size} omitted; show all with: ${command} …`,
    waiting: "waiting:",
    needs: (runId, decisions) =>
      `run ${runId} needs ${decisions === 1 ? "an approval" : formatCount(decisions, "approval")}`,
    awaitsWorker: (runId, command) => `run ${runId} waits for a worker, not for an approval. Continue with: ${command}`,
    externalWait: ({ step, event, until }) =>
      `${step} waits${event === undefined ? "" : ` for the event ${event}`}${until === undefined ? "" : ` until ${until}`}`,
    sendEvent: (command) => `deliver the event with: ${command}`,
    continuedBy: (command) => `a process that serves runs continues the run; or continue it with: ${command}`,
    position: ({ part, round, call }) => `${part === undefined ? "" : `${part}, `}round ${round}, call ${call}`,
    afterwards: (kind) => `both approve and reject resume the run; ${afterRejection[kind]}`,
  },
  chat: {
    greeting: ({ runner, model = "no model", tools, messages }) => {
      const before = messages === 0 ? "" : `, ${formatCount(messages, "message")} so far`;
      return `${runner} with ${model} and ${formatCount(tools, "tool")}${before}; /help lists the commands`;
    },
    withoutModel: "/runner vault answers from your notes without a model",
    exitAgain: "Press Ctrl-C again to exit.",
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
    noCommand: (name, near) =>
      `unknown command /${name}; ${near === undefined ? "/help lists the commands" : `did you mean /${near}?`}`,
    beginsWithSlash: "to send a prompt that begins with /, type a space before it",
    tools: (count) => formatCount(count, "tool"),
    noModel: () => `No model is configured; for details: ${cliCommand("doctor")}`,
    nextModel: (name) => `The next prompt goes to ${name}.`,
    nextRunner: (name) => `The next prompt uses ${name}.`,
    nothingWaits: "no prompt waits for approval",
    severalWait: (count) => `${waiting(count)}; resume one with: /resume NUMBER`,
    noneOfThem: (count, word) => `${waiting(count)}; none of them is ${JSON.stringify(word)}`,
    needsNumber: "/history takes the number of messages to show",
    emptyHistory: "No messages yet.",
    prompts: (count) => `${formatCount(count, "prompt")}: `,
    forgotten: "History cleared.",
  },
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
    elapsed: (time) => time,
    earlier: (steps) => `… ${steps} earlier`,
    byCommand: " (by command)",
  },
};

const afterRejection: Readonly<Record<RunKindId, string>> = {
  agent: "after reject it continues without the call",
  chain: "a rejected step fails, and its error_handling decides what follows",
  call: "a rejected call is not made, and the run fails",
};

function waiting(count: number): string {
  return `${formatCount(count, "prompt")} ${count === 1 ? "waits" : "wait"} for approval`;
}
