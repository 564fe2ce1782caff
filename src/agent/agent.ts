import { type Clock, fail, systemClock } from "../base/index.ts";
import type { Decision } from "../store/index.ts";
import type { AgentEvent } from "./agent-event.ts";
import type { AgentResult } from "./agent-result.ts";
import { Session, type SessionOptions } from "./session.ts";
import type { ConversationMessage } from "./message.ts";
import type { AgentExecuteOptions, AgentRuns, AgentStartOptions } from "./run/agent-runs.ts";
import { type Said, nothingSaid } from "./run/said.ts";
import type { AgentSpec } from "./run/agent-spec.ts";
import { checkHistory } from "./check-history.ts";
import { EventQueue } from "./event-queue.ts";

/** What goes with a question. */
export interface AskOptions extends Omit<AgentStartOptions, "said"> {
  /** What was said before: `messages` of an earlier result. Where absent, what was said in the conversation, if it has one. */
  readonly history?: readonly ConversationMessage[];
  /** Whether that holds text from outside: `tainted` of that result. Where absent, as its messages tell. */
  readonly tainted?: boolean;
}

/** A run, event by event. It goes on where nobody reads any more; several readers share the events. */
export interface AgentStream extends AsyncIterable<AgentEvent> {
  /** What the run gives at its end; the events need not be read for it. */
  readonly result: Promise<AgentResult>;
}

/** A model with tools, and one way of using them. Made by `createAgent`. */
export class Agent {
  readonly spec: AgentSpec;
  readonly runs: AgentRuns;

  constructor(runs: AgentRuns, spec: AgentSpec) {
    this.runs = runs;
    this.spec = spec;
  }

  /** Asks it. Whatever happens in the run is in the result; `waiting` means that a person has to decide first. */
  async run(text: string, options: AskOptions = {}): Promise<AgentResult> {
    const { history, tainted: _tainted, ...start } = options;
    if (history !== undefined) checkHistory(history);
    return this.runs.start(this.spec, text, { ...start, said: await this.#said(options) });
  }

  async #said({ history, tainted, conversationId, aside }: AskOptions): Promise<Said> {
    const { conversations } = this.runs;
    const id = aside === true ? undefined : conversationId;
    if (history !== undefined) return conversations.given(id, history, tainted);
    const said = id === undefined ? nothingSaid : await conversations.soFar(id);
    return tainted === true ? { ...said, tainted } : said;
  }

  /**
   * Asks it, and tells what happens while it happens.
   *
   * @example
   * ```ts
   * const stream = agent.stream("Which notes are about tides?");
   * for await (const event of stream) if (event.type === "text-delta") process.stdout.write(event.text);
   * ```
   */
  stream(text: string, options: AskOptions = {}): AgentStream {
    return follow((onEvent) => this.run(text, { ...options, onEvent }), options.onEvent);
  }

  /** Goes on with a run that waits for a person who has decided, or whose process is gone. */
  resume(runId: string, options: AgentExecuteOptions = {}): Promise<AgentResult> {
    return this.runs.resume(runId, options);
  }

  /** Decides a question of a run that waits; then {@link resume} goes on with it. The first decision counts. */
  async decide(approvalId: string, decision: Decision, clock: Clock = systemClock): Promise<void> {
    const decided = await this.runs.approvals.decide(approvalId, decision, clock.now());
    if (decided === undefined)
      throw fail(`there is no approval ${JSON.stringify(approvalId)}`, { code: "validation_error" });
  }

  /** A conversation, new or one that goes on: each question sees what was said before, here and elsewhere. */
  session(options: SessionOptions = {}): Session {
    return new Session(this, options);
  }

  /** Waits for what is under way, and leaves it to be taken up again. */
  close(): Promise<void> {
    return this.runs.close();
  }
}

/** Runs something that tells events as a stream of them. */
function follow(
  begin: (onEvent: (event: AgentEvent) => void) => Promise<AgentResult>,
  also: ((event: AgentEvent) => void) | undefined,
): AgentStream {
  const events = new EventQueue<AgentEvent>();
  const result = begin((event) => {
    // First: the other one may throw.
    events.push(event);
    also?.(event);
  });
  result.then(
    () => events.end(),
    (error: unknown) => events.end(error instanceof Error ? error : new Error(String(error))),
  );
  return { result, [Symbol.asyncIterator]: () => events[Symbol.asyncIterator]() };
}
