import type { RunRef } from "../run/index.ts";
import type { Approval, Decision } from "../store/index.ts";
import type { AgentEvent } from "./events/agent-event.ts";
import type { AgentResult } from "./events/agent-result.ts";
import { Session, type SessionOptions } from "./session.ts";
import type { ConversationMessage } from "./events/message.ts";
import type { AgentRuns } from "./run/agent-runs.ts";
import type { AgentExecuteOptions, AgentStartOptions } from "./run/execute-options.ts";
import { type MessageHistory, emptyHistory } from "./run/message-history.ts";
import type { AgentSpec } from "./run/agent-spec.ts";
import { checkHistory } from "./check-history.ts";

/** Options of a prompt. */
export interface AgentRunOptions extends AgentStartOptions {
  /**
   * Conversation history: `messages` of an earlier result. Default: the history of the conversation, if there is one.
   */
  readonly history?: readonly ConversationMessage[];
  /** True if the history contains untrusted content: `tainted` of that result. Default: derived from its messages. */
  readonly tainted?: boolean;
}

/** A run as a stream of events. The run continues when its reader stops; several readers share the events. */
export interface AgentStream extends AsyncIterable<AgentEvent> {
  /** Result of the run; available even if the events are not read. */
  readonly result: Promise<AgentResult>;
}

/**
 * A model with tools and a runner. Created by `createAgent`, or by `agent()` of a workspace.
 *
 * @see docs/guide/agents.md
 */
export class Agent {
  readonly spec: AgentSpec;
  readonly runs: AgentRuns;
  readonly #ownsRuns: boolean;
  readonly #underWay = new Set<Promise<unknown>>();

  /** @param how `ownsRuns` makes the runs close with the agent. Default: false, because others may use them. */
  constructor(runs: AgentRuns, spec: AgentSpec, how: { readonly ownsRuns?: boolean } = {}) {
    this.runs = runs;
    this.spec = spec;
    this.#ownsRuns = how.ownsRuns === true;
  }

  /** Runs the agent on a prompt. Failures are in the result; `waiting` means that a person has to decide first. */
  async run(text: string, options: AgentRunOptions = {}): Promise<AgentResult> {
    const { history, tainted: _tainted, ...start } = options;
    if (history !== undefined) checkHistory(history);
    return this.track(this.runs.start(this.spec, text, { ...start, history: await this.#history(options) }));
  }

  /** Stores a run for a process that serves runs, and returns at once. */
  async submit(text: string, options: Omit<AgentRunOptions, keyof AgentExecuteOptions> = {}): Promise<RunRef> {
    const { history, tainted: _tainted, ...start } = options;
    if (history !== undefined) checkHistory(history);
    return this.runs.submit(this.spec, text, { ...start, history: await this.#history(options) });
  }

  async #history({ history, tainted, conversationId: id }: AgentRunOptions): Promise<MessageHistory> {
    const { conversations } = this.runs;
    if (history !== undefined) return conversations.fromCaller(id, history, tainted);
    const stored = id === undefined ? emptyHistory : await conversations.load(id);
    return tainted === true ? { ...stored, tainted } : stored;
  }

  /**
   * Runs the agent on a prompt and emits events while it runs.
   *
   * @example
   * ```ts
   * const stream = agent.stream("Which notes are about tides?");
   * for await (const event of stream) if (event.type === "text-delta") process.stdout.write(event.text);
   * ```
   */
  stream(text: string, options: AgentRunOptions = {}): AgentStream {
    return follow((onEvent) => this.run(text, { ...options, onEvent }), options.onEvent);
  }

  /** Resumes a run whose approval has been decided, or whose process is gone. */
  resume(runId: string, options: AgentExecuteOptions = {}): Promise<AgentResult> {
    return this.track(this.runs.resume(runId, options));
  }

  /**
   * Decides an approval of a suspended run; {@link resume} then continues the run. Returns the approval as it stands.
   * The first decision counts: throws if the approval was decided differently before, has expired, or is for others to
   * decide.
   */
  decide(approvalId: string, decision: Decision): Promise<Approval> {
    return this.runs.decide(approvalId, decision);
  }

  /**
   * Starts or continues a conversation: each prompt sees the conversation history, including prompts sent elsewhere.
   */
  session(options: SessionOptions = {}): Session {
    return new Session(this, options);
  }

  /** Makes {@link close} wait for work of this agent that was started elsewhere, such as in a {@link Session}. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const over = (): void => void this.#underWay.delete(work);
    work.then(over, over);
    return work;
  }

  /**
   * An agent of `createAgent` starts no more runs, waits a few seconds for running ones, and releases the others so
   * that they can be resumed. An agent of a workspace waits until its own runs have ended: the runs of the workspace
   * close with the workspace.
   */
  async close(): Promise<void> {
    if (this.#ownsRuns) await this.runs.close();
    else await Promise.allSettled(this.#underWay);
  }
}

/** Starts a function that emits events, and returns its events as a stream; each event goes to one reader. */
function follow(
  begin: (onEvent: (event: AgentEvent) => void) => Promise<AgentResult>,
  also: ((event: AgentEvent) => void) | undefined,
): AgentStream {
  const events: AgentEvent[] = [];
  let taken = 0;
  let isOver = false;
  // Resolved by the next event, or by the end.
  let news = Promise.withResolvers<void>();
  const wake = (): void => {
    news.resolve();
    news = Promise.withResolvers();
  };
  const result = begin((event) => {
    // Pushed first: the other listener may throw.
    events.push(event);
    wake();
    also?.(event);
  });
  const end = (): void => {
    isOver = true;
    wake();
  };
  result.then(end, end);
  async function* read(): AsyncGenerator<AgentEvent, void, undefined> {
    for (;;) {
      // One at a time: events that a stopped reader did not consume go to other readers.
      while (taken < events.length) yield events[taken++] as AgentEvent;
      events.length = 0;
      taken = 0;
      if (isOver) return void (await result);
      await news.promise;
    }
  }
  return { result, [Symbol.asyncIterator]: read };
}
