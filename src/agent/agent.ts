import type { Approval, Decision } from "../store/index.ts";
import type { AgentEvent } from "./agent-event.ts";
import type { AgentResult } from "./agent-result.ts";
import { Session, type SessionOptions } from "./session.ts";
import type { ConversationMessage } from "./message.ts";
import type { AgentRuns } from "./run/agent-runs.ts";
import type { AgentExecuteOptions, AgentStartOptions } from "./run/execute-options.ts";
import { type Said, nothingSaid } from "./run/said.ts";
import type { AgentSpec } from "./run/agent-spec.ts";
import { checkDecided } from "./check-decided.ts";
import { checkHistory } from "./check-history.ts";
import { EventQueue } from "./event-queue.ts";

/** What goes with a question. */
export interface AskOptions extends AgentStartOptions {
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

/** A model with tools, and one way of using them. Made by `createAgent`, or by `agent()` of a workspace. */
export class Agent {
  readonly spec: AgentSpec;
  readonly runs: AgentRuns;
  readonly #ownsRuns: boolean;
  readonly #underWay = new Set<Promise<unknown>>();

  /** @param how Whether the runs are its own, so that they close with it; others may use them where that is absent. */
  constructor(runs: AgentRuns, spec: AgentSpec, how: { readonly ownsRuns?: boolean } = {}) {
    this.runs = runs;
    this.spec = spec;
    this.#ownsRuns = how.ownsRuns === true;
  }

  /** Asks it. Whatever happens in the run is in the result; `waiting` means that a person has to decide first. */
  async run(text: string, options: AskOptions = {}): Promise<AgentResult> {
    const { history, tainted: _tainted, ...start } = options;
    if (history !== undefined) checkHistory(history);
    return this.track(this.runs.start(this.spec, text, { ...start, said: await this.#said(options) }));
  }

  async #said({ history, tainted, conversationId: id }: AskOptions): Promise<Said> {
    const { conversations } = this.runs;
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
    return this.track(this.runs.resume(runId, options));
  }

  /**
   * Decides a question of a run that waits; then {@link resume} goes on with it. Gives the approval as it stands. The
   * first decision counts: throws where it was decided otherwise before, or its time is over.
   */
  async decide(approvalId: string, decision: Decision): Promise<Approval> {
    const { approvals } = this.runs;
    return checkDecided(approvalId, decision, await approvals.decide(approvalId, decision, this.runs.now()));
  }

  /** A conversation, new or one that goes on: each question sees what was said before, here and elsewhere. */
  session(options: SessionOptions = {}): Session {
    return new Session(this, options);
  }

  /** Has {@link close} wait for work of this agent that was begun elsewhere, such as in a {@link Session}. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const over = (): void => void this.#underWay.delete(work);
    work.then(over, over);
    return work;
  }

  /**
   * One of `createAgent` begins no run any more, waits a few seconds for those under way, and leaves the others to be
   * taken up again. One of a workspace waits until its own are over: the runs of the workspace close with the workspace.
   */
  async close(): Promise<void> {
    if (this.#ownsRuns) await this.runs.close();
    else await Promise.allSettled(this.#underWay);
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
