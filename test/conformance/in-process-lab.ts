import type { RunResult } from "../../src/chain/index.ts";
import { type OpenHost, type RunHost, type RunPorts, openHost } from "../../src/run/index.ts";
import type { JournalSink } from "../../src/run/host/journal-writer.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { overridePort } from "../support/override-port.ts";
import {
  type Executed,
  type LabMachine,
  type LabResult,
  type LabRun,
  type OpenPorts,
  type PortCall,
  type RunLab,
  decidePending,
  deliverEvents,
  intercepted,
  openRun,
  seqsOf,
} from "./run-lab.ts";
import { type RunScenario, type World, scenarios } from "./run-scenarios.ts";

/** One process of a run: until its end, or until it is killed. */
export interface Life {
  /** Number of the commit before which the process is killed. Default: it is not killed. */
  readonly killBefore?: number | undefined;
  /** Number of journal events that are stored before the process is killed. Default: it is not killed. */
  readonly crashAfter?: number;
  /** Wraps the part of the journal that a host writes to. */
  readonly between?: (journal: JournalSink) => JournalSink;
  readonly onHost?: (host: RunHost) => void;
  readonly interruptedApprovalMs?: number;
  /** Default: a host that makes calls in this process. */
  readonly openHost?: OpenHost;
  /** Does something else than to start or resume the run. */
  readonly execute?: (run: LabRun) => Promise<LabResult>;
  /** It gives no signs of life, as a stopped process. */
  readonly isSilent?: boolean;
}

/** Ports whose journal reads the time from this clock. */
export type OpenPortsAt = (clock: FakeClock) => Promise<OpenPorts>;

const never = new Promise<never>(() => {});

/** Executes one run, process after process, in this process and on a fake clock. */
export class RunOfLives {
  readonly world: World;
  readonly runId: string;
  readonly #scenario: RunScenario;
  readonly #ports: OpenPorts;
  readonly #clock: FakeClock;
  readonly #noted: string[];
  #lives = 0;
  /** Commits of the last life. */
  commits = 0;
  /** Calls of ports under way. */
  #open = 0;

  constructor(
    scenario: RunScenario,
    parts: { ports: OpenPorts; runId: string; clock: FakeClock; noted?: readonly string[] },
  ) {
    const { ports, runId, clock, noted = [] } = parts;
    this.#scenario = scenario;
    this.#ports = ports;
    this.#clock = clock;
    this.runId = runId;
    this.#noted = [...noted];
    this.world = { clock, note: (line) => void this.#noted.push(line), noted: () => this.#noted };
  }

  /** Executes the run in a new process; undefined if that was killed. */
  async live(life: Life = {}): Promise<LabResult | undefined> {
    // The last lease holder is silent.
    if (++this.#lives > 1) this.#clock.advance(16_000);
    const process = new SimulatedProcess(life, (work) => this.#counted(work));
    const journal = intercepted(this.#ports.journal, process.call);
    const sink = life.between?.(journal);
    const ports: Omit<RunPorts, "secrets"> = {
      journal: sink === undefined ? journal : overridePort(journal, { append: (...args) => sink.append(...args) }),
      approvals: intercepted(this.#ports.approvals, process.call),
      openHost: (task) => process.add((life.openHost ?? openHost)(task)),
      interruptedApprovalMs: life.interruptedApprovalMs,
    };
    const world = { ...this.world, note: (line: string) => void (process.isKilled || this.world.note(line)) };
    const run = await openRun(this.#scenario, ports, { world, runId: this.runId });
    const { execute = (run) => run.execute() } = life;
    const result = await this.#drive(execute(run), process);
    this.commits = process.commits;
    return result;
  }

  /** The same for a chain. */
  async chain(life?: Life): Promise<RunResult | undefined> {
    return (await this.live(life))?.chain;
  }

  /** Replays the run; executes nothing. */
  inspect(): Promise<LabResult> {
    return openRun(this.#scenario, this.#ports, this).then((run) => run.inspect());
  }

  /** Lets a person decide everything that the run waits for, and delivers its events. */
  async decide(): Promise<void> {
    await deliverEvents(this.#ports.journal, this.#scenario, this);
    await decidePending(this.#ports.approvals, this);
  }

  async seqs(): Promise<readonly number[]> {
    return seqsOf(this.#ports.journal, this.runId);
  }

  #counted(work: unknown): unknown {
    if (!(work instanceof Promise)) return work;
    this.#open++;
    return work.finally(() => this.#open--);
  }

  /** Time advances only while no call of a port is pending. */
  async #drive(work: Promise<LabResult>, process: SimulatedProcess): Promise<LabResult | undefined> {
    const state = { isOver: false };
    const over = (): void => void (state.isOver = true);
    work.then(over, over);
    for (let idle = 0; !state.isOver && !process.isKilled && idle < 20_000; idle++) {
      await settle();
      if (state.isOver || process.isKilled) break;
      if (this.#open > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      else await this.#clock.passToNext();
    }
    if (process.isKilled) return undefined;
    if (!state.isOver) throw new Error("the run does not end");
    return work;
  }
}

/** A simulated process. After it was killed, nothing that it does has an effect. */
class SimulatedProcess {
  isKilled = false;
  commits = 0;
  #events = 0;
  readonly #life: Life;
  readonly #counted: (work: unknown) => unknown;
  readonly #hosts: RunHost[] = [];

  constructor(life: Life, counted: (work: unknown) => unknown) {
    this.#life = life;
    this.#counted = counted;
  }

  add(host: RunHost): RunHost {
    this.#hosts.push(host);
    this.#life.onHost?.(host);
    return host;
  }

  readonly call: PortCall = (name, make, isCommit) => {
    if (this.isKilled) return never;
    if (name === "changes" && this.#life.isSilent === true) return Promise.resolve([]);
    if (isCommit) {
      const { killBefore = Infinity, crashAfter = Infinity } = this.#life;
      if (name === "append") this.#events++;
      if (this.commits + 1 >= killBefore || this.#events > crashAfter) return this.#kill();
      this.commits++;
    }
    return this.#counted(make());
  };

  #kill(): Promise<never> {
    this.isKilled = true;
    // Not from within the call that a host is making.
    queueMicrotask(() => {
      for (const host of this.#hosts) host.releaseNow();
    });
    return never;
  }
}

/** Options of an {@link inProcessLab}. */
export interface InProcessLabOptions {
  readonly openHost?: OpenHost;
  /** Submits runs and serves what the dispatcher offers. Default: starts and resumes runs. */
  readonly serves?: boolean;
}

/** Executes runs in this process, on a fake clock; a killed process is one whose writes no longer arrive. */
export function inProcessLab(name: string, open: OpenPortsAt, options: InProcessLabOptions = {}): RunLab {
  const { openHost, serves = false } = options;
  return {
    name,
    async open(scenario): Promise<LabMachine> {
      const clock = new FakeClock();
      const ports = await open(clock);
      const runs = new Map<string, RunOfLives>();
      const runOf = (runId: string): RunOfLives => {
        const run = runs.get(runId) ?? new RunOfLives(scenarios[scenario], { ports, runId, clock });
        runs.set(runId, run);
        return run;
      };
      return {
        async execute(runId, killBefore): Promise<Executed | undefined> {
          const run = runOf(runId);
          await run.decide();
          const execute = (lab: LabRun): Promise<LabResult> => (serves ? lab.serve() : lab.execute());
          const result = await run.live({ killBefore, execute, ...(openHost && { openHost }) });
          const { commits } = run;
          return result && { status: result.status, output: result.output, commits, seqs: await run.seqs() };
        },
        noted: (runId) => runOf(runId).world.noted(),
        close: () => ports.close(),
      };
    },
  };
}
