import type {
  CallWork,
  Host,
  HostListener,
  HostOutcome,
  SettledOutcome,
  Wait,
  ProgramEnd,
  NestedWork,
  EffectRunner,
  EffectWaiter,
  RunProgram,
} from "../../run/index.ts";
import { type Interpretation, beginInterpretation } from "../interpreter/interpret.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import { ProgramStep, type ProgramTool } from "./program-step.ts";
import type { RunListener } from "../interpreter/run-events.ts";
import type { Plan } from "../plan/plan.ts";

/** A chain inside of a program: its keys are in the journal of the run, under the key of the effect. */
class NestedChain implements Host, NestedWork {
  readonly runId: string;
  readonly startedAt: number;
  readonly #run: EffectRunner;
  readonly #effect: SubChain;
  readonly #onEnd: (end: ProgramEnd<RunFacts>) => void;
  readonly #news: SettledOutcome[] = [];
  /** Steps whose work is a program, by their keys. */
  readonly #programTools = new Map<string, ProgramStep>();
  #listener: HostListener | undefined;
  #interpretation: Interpretation | undefined;

  constructor(run: EffectRunner, effect: SubChain, onEnd: (end: ProgramEnd<RunFacts>) => void) {
    this.#run = run;
    this.#effect = effect;
    let over = false;
    this.#onEnd = (end) => {
      // A step that threw ends the effect before the chain learns of it.
      if (over) return;
      over = true;
      onEnd(end);
    };
    // Another chain of the same run has other idempotency keys.
    this.runId = `${run.host.runId}/${effect.key}`;
    this.startedAt = run.now;
  }

  begin(): void {
    const { plan, input, onEvent: listener } = this.#effect;
    this.#interpretation = beginInterpretation(
      { plan, host: this, input, env: {}, context: {}, listener },
      (facts) => this.#onEnd({ value: facts }),
      (error) => this.#onEnd({ error }),
    );
  }

  /** It has steps that could begin, and continues by itself. */
  get isOpening(): boolean {
    return this.#interpretation?.hasBacklog === true;
  }

  /** Delivers an outcome. */
  push(settled: SettledOutcome): void {
    this.#news.push(settled);
    this.#listener?.wake();
  }

  // --- the host, as the chain sees it

  get isReplaying(): boolean {
    return this.#run.host.isReplaying;
  }

  get startsEagerly(): boolean {
    return this.#run.host.startsEagerly;
  }

  get isReleased(): boolean {
    return this.#run.host.isReleased;
  }

  get hasReady(): boolean {
    return this.#news.length > 0;
  }

  hasRecorded(key: string): boolean {
    return this.#run.host.hasRecorded(this.#outer(key));
  }

  attach(listener: HostListener): void {
    this.#listener = listener;
  }

  start(key: string, work: CallWork): void {
    const tool = this.#effect.own?.get(work.tool);
    if (tool !== undefined) return this.#startProgram(key, work, tool);
    this.#run.expect(this.#outer(key), this.#waiting(key, false));
    this.#run.host.start(this.#outer(key), work);
  }

  observe(key: string, read: () => unknown): void {
    this.#run.expect(this.#outer(key), this.#waiting(key, false));
    this.#run.host.observe(this.#outer(key), read);
  }

  wait(key: string, wait: Wait): void {
    this.#run.expect(this.#outer(key), this.#waiting(key, true));
    this.#run.host.wait(this.#outer(key), wait);
  }

  cancel(key: string): void {
    const own = this.#programTools.get(key);
    if (own !== undefined) return own.stop();
    const outer = this.#outer(key);
    if (this.#run.waitsFor(outer)) this.#run.forget(outer);
    this.#run.host.cancel(outer);
  }

  next(): SettledOutcome | undefined {
    const next = this.#news.shift();
    // It sleeps now, perhaps after it continued by itself: the effect runner may be waiting for that.
    if (next === undefined) queueMicrotask(() => this.#run.wake());
    return next;
  }

  #startProgram(key: string, work: CallWork, tool: ProgramTool): void {
    const step = new ProgramStep({
      run: this.#run,
      work,
      tool,
      onEnd: (outcome) => {
        this.#programTools.delete(key);
        this.push({ key, outcome, at: this.#run.now });
      },
      onBroke: (error) => this.#onEnd({ error }),
    });
    this.#programTools.set(key, step);
    step.begin();
  }

  #outer(key: string): string {
    return `${this.#effect.key}/${key}`;
  }

  #waiting(key: string, isWait: boolean): EffectWaiter {
    return {
      isWait,
      isNested: true,
      settled: (outcome: HostOutcome, at: number) => this.push({ key, outcome, at }),
      progress: (value) => this.#listener?.progress(key, value),
      approvalRequested: (approvalId, note) => this.#listener?.approvalRequested(key, approvalId, note),
    };
  }
}

/** A whole chain inside of another run, in the journal of that run. */
export interface SubChain {
  /** Prefix of its keys in the journal. */
  readonly key: string;
  readonly plan: Plan;
  readonly input: unknown;
  readonly onEvent: RunListener | undefined;
  /** Steps whose work is a program, by the names of their tools. */
  readonly own?: ReadonlyMap<string, ProgramTool>;
}

/** Runs a chain to its end. */
export function* runSubChain(chain: SubChain): RunProgram<RunFacts> {
  // The result of a nested chain is its facts.
  return (yield { kind: "nested", open: (runner, onEnd) => new NestedChain(runner, chain, onEnd) }) as RunFacts;
}
