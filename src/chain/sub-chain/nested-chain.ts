import {
  type Host,
  type HostListener,
  type Interpretation,
  type Outcome,
  type RunFacts,
  type Settled,
  type StepWork,
  type Wait,
  beginInterpretation,
} from "../../chain/index.ts";
import type { FiberEnd } from "./fiber.ts";
import type { ChainWish } from "./flow.ts";
import type { FlowRun, Waiting } from "./flow-run.ts";
import { OwnStep, type OwnTool } from "./own-step.ts";

/** A chain inside of a flow: its keys are in the journal of the run, under the key of the wish. */
export class NestedChain implements Host {
  readonly runId: string;
  readonly startedAt: number;
  readonly #run: FlowRun;
  readonly #wish: ChainWish;
  readonly #onEnd: (end: FiberEnd<RunFacts>) => void;
  readonly #news: Settled[] = [];
  /** Steps whose work is a flow, by their keys. */
  readonly #own = new Map<string, OwnStep>();
  #listener: HostListener | undefined;
  #interpretation: Interpretation | undefined;

  constructor(run: FlowRun, wish: ChainWish, onEnd: (end: FiberEnd<RunFacts>) => void) {
    this.#run = run;
    this.#wish = wish;
    let over = false;
    this.#onEnd = (end) => {
      // A step that broke ends the wish before the chain has heard of it.
      if (over) return;
      over = true;
      onEnd(end);
    };
    // Another chain of the same run has other keys of idempotency.
    this.runId = `${run.host.runId}/${wish.key}`;
    this.startedAt = run.now;
  }

  begin(): void {
    const { plan, input, onEvent: listener } = this.#wish;
    this.#interpretation = beginInterpretation(
      { plan, host: this, input, env: {}, context: {}, listener },
      (facts) => this.#onEnd({ value: facts }),
      (error) => this.#onEnd({ error }),
    );
  }

  /** It has steps that could begin, and goes on by itself. */
  get isOpening(): boolean {
    return this.#interpretation?.hasBacklog === true;
  }

  /** Tells it what happened. */
  push(settled: Settled): void {
    this.#news.push(settled);
    this.#listener?.wake();
  }

  // --- the host, as the chain sees it

  get replaying(): boolean {
    return this.#run.host.replaying;
  }

  get opensAll(): boolean {
    return this.#run.host.opensAll;
  }

  get hasNews(): boolean {
    return this.#news.length > 0;
  }

  knows(key: string): boolean {
    return this.#run.host.knows(this.#outer(key));
  }

  attach(listener: HostListener): void {
    this.#listener = listener;
  }

  start(key: string, work: StepWork): void {
    const tool = this.#wish.own?.get(work.tool);
    if (tool !== undefined) return this.#startOwn(key, work, tool);
    this.#run.expect(this.#outer(key), this.#waiting(key, false));
    this.#run.host.start(this.#outer(key), work);
  }

  wait(key: string, what: Wait): void {
    this.#run.expect(this.#outer(key), this.#waiting(key, true));
    this.#run.host.wait(this.#outer(key), what);
  }

  cancel(key: string): void {
    const own = this.#own.get(key);
    if (own !== undefined) return own.stop();
    const outer = this.#outer(key);
    if (this.#run.waitsFor(outer)) this.#run.forget(outer);
    this.#run.host.cancel(outer);
  }

  next(): Settled | undefined {
    const next = this.#news.shift();
    // It sleeps now, perhaps after it went on by itself: whoever feeds it may have waited for that.
    if (next === undefined) queueMicrotask(() => this.#run.wake());
    return next;
  }

  #startOwn(key: string, work: StepWork, tool: OwnTool): void {
    const step = new OwnStep({
      run: this.#run,
      work,
      tool,
      onEnd: (outcome) => {
        this.#own.delete(key);
        this.push({ key, outcome, at: this.#run.now });
      },
      onBroke: (error) => this.#onEnd({ error }),
    });
    this.#own.set(key, step);
    step.begin();
  }

  #outer(key: string): string {
    return `${this.#wish.key}/${key}`;
  }

  #waiting(key: string, isWait: boolean): Waiting {
    return {
      isWait,
      ofChain: true,
      settled: (outcome: Outcome, at: number) => this.push({ key, outcome, at }),
      progress: (value) => this.#listener?.progress(key, value),
      asked: (approvalId, note) => this.#listener?.asked(key, approvalId, note),
    };
  }
}
