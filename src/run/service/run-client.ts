import { type Clock, cliCommand, createIdGenerator, fail, systemClock } from "../../base/index.ts";
import { ApprovalService, expectDecided } from "../../engine/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import {
  type Approval,
  type ApprovalStore,
  type Decision,
  type JournalEvent,
  type Liveness,
  type NewRun,
  type RunKindId,
  type RunQuery,
  type RunRecording,
  type RunStatus,
  type RunStore,
  type RunUpdate,
  type StoredRun,
  isFinished,
} from "../../store/index.ts";
import type { Host } from "../host.ts";
import { type OpenHost, openHost } from "../host/open-host.ts";
import { checkRunId } from "../leases/run-leases.ts";
import type { JournalSecrets } from "../seal-secrets.ts";
import { SealedJournal } from "../sealed-journal.ts";
import { LocalDispatcher, type RunDispatcher } from "./run-dispatcher.ts";
import type { AnyRunKind, PreparedRun, RunExecuteOptions, RunKind } from "./run-kind.ts";
import { type DeliveredEvent, type EventRequest, deliverEvent } from "./deliver-event.ts";
import { RunObserver, hasMore } from "./run-observer.ts";
import { checkSameRun } from "./same-run.ts";

/** Ports and settings of a {@link RunClient}. */
export interface RunPorts {
  readonly journal: RunStore;
  readonly approvals: ApprovalStore;
  /** The owner of the runs that are executed here. Default: a new owner in the journal. */
  readonly liveness?: Liveness | undefined;
  /** Redacts and opens secrets; usually the engine. */
  readonly secrets: JournalSecrets & { readonly redactor: Pick<Redactor, "value" | "known"> };
  /** Lifetime of approvals for calls that were running when their process ended. Default: they do not expire. */
  readonly interruptedApprovalMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Decides who executes a run next. Default: the workers of this machine. */
  readonly dispatcher?: RunDispatcher | undefined;
  /** The channels to which the end of a run is delivered. Default: none. */
  readonly channelsOf?: ((run: EndedRun, status: RunStatus) => readonly string[]) | undefined;
  /** Creates the host of each run. Default: one that replays the journal and makes calls in this process. */
  readonly openHost?: OpenHost | undefined;
}

/** The parts of a run that decide where its end is delivered. */
export type EndedRun = Pick<NewRun, "kind" | "name" | "calledBy">;

/** A run that was submitted. */
export interface RunRef {
  readonly runId: string;
}

/** The kinds of runs in messages. They are known without loading their code. */
const titles: Readonly<Record<RunKindId, string>> = { chain: "a chain", agent: "an agent", call: "a tool" };

/** Submits runs and observes them; any worker may execute them. Never claims a run. */
export class RunClient {
  /** Stores the runs; known secrets are sealed or redacted. */
  readonly journal: SealedJournal;
  readonly approvals: ApprovalStore;
  /** Decides approvals; a decision wakes the runs that wait for it. */
  readonly approvalService: ApprovalService;
  readonly clock: Clock;
  protected readonly ports: RunPorts;
  protected readonly dispatcher: RunDispatcher;
  protected readonly openHost: OpenHost;
  protected readonly kinds: Map<RunKindId, AnyRunKind> = new Map();
  /** Register a kind that this process has not used yet. */
  protected readonly loaders: Map<RunKindId, () => Promise<unknown>> = new Map();
  readonly #ids = createIdGenerator();
  readonly #observer: RunObserver;

  constructor(ports: RunPorts) {
    const { journal, approvals, clock = systemClock } = ports;
    this.ports = ports;
    this.clock = clock;
    this.approvals = approvals;
    this.journal = new SealedJournal(journal, ports.secrets, ({ kind }) => this.kinds.get(kind)?.usesSecrets ?? false);
    this.#observer = new RunObserver(journal);
    this.openHost = ports.openHost ?? openHost;
    const dispatcher = ports.dispatcher ?? new LocalDispatcher({ journal, clock });
    this.dispatcher = dispatcher;
    this.approvalService = new ApprovalService(approvals, clock, () => dispatcher.notify());
  }

  /** Registers a kind of runs. */
  register<Spec, Options extends RunExecuteOptions, Result>(kind: RunKind<Spec, Options, Result>): void {
    this.kinds.set(kind.id, kind);
  }

  /** Names a kind whose code is loaded when one of its runs is to be executed here; `load` registers it. */
  registerLazily(id: RunKindId, load: () => Promise<unknown>): void {
    this.loaders.set(id, load);
  }

  /** A host that replays a run from its journal; it executes nothing. */
  replayHost({ run, events }: RunRecording): Host {
    const { id: runId, epoch, startedAt } = run;
    return this.openHost({ lease: { runId, epoch }, startedAt, events, calls: undefined, clock: this.clock });
  }

  /** The caller's id for a new run, or a new one. Throws if it is not a valid run id. */
  newRunId(runId?: string): string {
    return checkRunId(runId) ?? this.#ids.next();
  }

  /**
   * Stores a run for any worker to execute; durable when it resolves. Submitting the same run with the same id again
   * has no effect. Throws if it cannot start.
   */
  async submit<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    spec: Spec,
    options: Options,
  ): Promise<RunRef> {
    const prepared = await kind.prepare(spec, options);
    const created = await this.journal.submit(prepared.run, prepared.events);
    if (created !== undefined) this.checkSame(kind, prepared, created.existing);
    this.dispatcher.notify();
    return { runId: prepared.run.id };
  }

  /**
   * Waits until a run has ended, or waits for a person, and returns its result; executes nothing. If the signal is
   * aborted, rejects; the run continues.
   */
  async result<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    runId: string,
    signal?: AbortSignal,
  ): Promise<Result> {
    for await (const { epoch, ...update } of this.#settled(runId, signal)) {
      this.checkKind(kind, update);
      const stored = await this.read(kind, runId);
      // A worker may have claimed it in the meantime.
      if (isFinished(stored.run.status) || stored.run.epoch === epoch) return kind.describe(stored);
    }
    throw runNotFoundFailure(runId);
  }

  /** Waits until a run of any kind has ended, or waits for a person. If the signal is aborted, rejects. */
  async settled(runId: string, signal?: AbortSignal): Promise<void> {
    const states = this.#settled(runId, signal);
    try {
      if ((await states.next()).done === true) throw runNotFoundFailure(runId);
    } finally {
      await states.return();
    }
  }

  /** The states of a run in which it has ended, or waits for a person. */
  async *#settled(runId: string, signal?: AbortSignal): AsyncGenerator<RunUpdate, void, undefined> {
    for await (const update of this.#observer.follow({ runId }, signal))
      if (isFinished(update.status) || update.isSuspended) yield update;
  }

  /**
   * The journal events of a run after this one, as they are written, until the run ends or the signal is aborted. Known
   * secrets are redacted.
   */
  async *events(runId: string, after = 0, signal?: AbortSignal): AsyncGenerator<JournalEvent, void, undefined> {
    for await (const update of this.#observer.follow({ runId, after }, signal)) {
      for (const event of this.journal.revealEvents(runId, update.events))
        yield { ...event, data: this.ports.secrets.redactor.known(event.data) };
      if (isFinished(update.status) && !hasMore(update)) return;
    }
    throw runNotFoundFailure(runId);
  }

  /**
   * Records a person's decision, wakes the runs that wait for it, and returns the approval as it stands. Throws if there
   * is no such approval, or the decision does not count: by a person who may not decide, too late, or after another one.
   */
  async decide(approvalId: string, decision: Decision): Promise<Approval> {
    return expectDecided(approvalId, await this.approvalService.decide(approvalId, decision));
  }

  /**
   * Delivers an event to a run, and wakes it if it waits for the event; durable when the promise resolves. A run that
   * does not wait for it yet finds it later. Throws if no step of the run waits for such an event, or the run has ended.
   */
  async deliver(runId: string, event: EventRequest): Promise<DeliveredEvent> {
    const { journal, clock } = this;
    const run = await this.find(runId);
    if (run === undefined) throw runNotFoundFailure(runId);
    const kind = await this.kindOf(run.kind);
    const awaited = kind.eventsOf === undefined ? new Set<string>() : kind.eventsOf(run);
    const delivered = await deliverEvent(event, { journal, clock, run, awaited, newId: () => this.#ids.next() });
    this.dispatcher.notify();
    return delivered;
  }

  protected async kindOf(id: RunKindId): Promise<AnyRunKind> {
    if (!this.kinds.has(id)) await this.loaders.get(id)?.();
    const kind = this.kinds.get(id);
    if (kind === undefined) throw fail(`no code here executes runs of ${id}`, { code: "not_available" });
    return kind;
  }

  /**
   * Cancels a run in any process; the request is durable when the promise resolves. False if the run has already ended
   * or is unknown.
   */
  async cancel(runId: string, by?: string): Promise<boolean> {
    if (!(await this.journal.requestCancel(runId, by))) return false;
    this.dispatcher.notify();
    return true;
  }

  /** Reads a run of this kind with all its events. Throws if there is none. */
  async read(kind: Pick<AnyRunKind, "id">, runId: string): Promise<RunRecording> {
    const stored = await this.journal.read(runId);
    if (stored === undefined) throw runNotFoundFailure(runId);
    this.checkKind(kind, stored.run);
    return stored;
  }

  /** A run of any kind, for displaying it; undefined if there is none. */
  async find(runId: string): Promise<StoredRun | undefined> {
    const [listed] = await this.journal.list({ id: runId, limit: 1 });
    // A list omits large outputs.
    const isWhole = listed?.status !== "success" || listed.output !== undefined;
    const run = isWhole ? listed : (await this.journal.read(runId))?.run;
    return run && this.journal.reveal({ run, events: [] }).run;
  }

  /** The statuses of runs of any kind; of a run that does not exist there is none. */
  async statuses(runIds: readonly string[]): Promise<ReadonlyMap<string, RunStatus>> {
    const found = await this.journal.updates(runIds.map((runId) => ({ runId })));
    return new Map(found.flatMap((update) => (update === undefined ? [] : [[update.id, update.status] as const])));
  }

  /** True if there is such a run, of any kind, ended or not. */
  async has(runId: string): Promise<boolean> {
    const [found] = await this.journal.updates([{ runId }]);
    return found !== undefined;
  }

  /** Throws if there is no such run, of any kind. */
  async checkExists(runId: string): Promise<void> {
    if (!(await this.has(runId))) throw runNotFoundFailure(runId);
  }

  list(query?: RunQuery): Promise<readonly StoredRun[]> {
    return this.journal.list(query);
  }

  /** Throws unless the run with this id is the one that was prepared. */
  protected checkSame(
    kind: AnyRunKind,
    { run, onJoined }: Pick<PreparedRun<unknown>, "run" | "onJoined">,
    existing: StoredRun,
  ): void {
    const { journal } = this;
    checkSameRun(journal.closed(existing), journal.closed(journal.sealRun(run)), (one) => kind.inputOf(one));
    onJoined?.(existing);
  }

  /** Throws if a run is not of this kind. */
  protected checkKind({ id }: Pick<AnyRunKind, "id">, run: Pick<StoredRun, "id" | "kind">): void {
    if (run.kind === id) return;
    const hint = `show it with: ${cliCommand(`show ${run.id}`)}`;
    const message = `run ${run.id} is a run of ${titles[run.kind]}, not of ${titles[id]}; ${hint}`;
    throw fail(message, { code: "validation_error" });
  }
}

/** Failure of an operation on a run that does not exist. */
export function runNotFoundFailure(runId: string): Error {
  return fail(`there is no run ${JSON.stringify(runId)}`, { code: "run_not_found" });
}
