import type {
  Claim,
  ConversationQuery,
  ConversationRemoval,
  ConversationTurn,
  ConversationTurnRange,
  EventDelivery,
  ExecutableRun,
  ExecutableRunQuery,
  ExternalEvent,
  JournalEvent,
  CancelRequest,
  Liveness,
  NewConversationTurn,
  NewExternalEvent,
  NewJournalEvent,
  NewRun,
  RunCursor,
  RunEnd,
  RunLease,
  RunRecording,
  RunStore,
  RunQuery,
  RunUpdate,
  StoredConversation,
  StoredRun,
} from "../store/index.ts";
import { type JournalSecrets, Opener, Sealer, withoutMark } from "./seal-secrets.ts";

type UsesSecrets = (run: Pick<NewRun, "kind">) => boolean;

/**
 * A journal that stores no known secrets. A value that came from `${secret.X}` of the run's chain is stored as a handle,
 * and opened when the run resumes; other known secrets of at least 8 characters are redacted. A claimed run, or one that
 * was read, is as stored until `open` or `reveal` is called.
 */
export class SealedJournal implements RunStore {
  readonly #journal: RunStore;
  readonly #known: JournalSecrets;
  /** The names of the secrets that the chains of held runs use. */
  readonly #names = new Map<string, readonly string[]>();

  readonly #usesSecrets: UsesSecrets;

  /** @param usesSecrets True for runs whose programs read secrets; in all others there is nothing to open. */
  constructor(journal: RunStore, known: JournalSecrets, usesSecrets: UsesSecrets = () => true) {
    this.#journal = journal;
    this.#known = known;
    this.#usesSecrets = usesSecrets;
  }

  join(): Liveness {
    return this.#journal.join();
  }

  async create(
    run: NewRun,
    owner: string,
    events: readonly JournalEvent[] = [],
  ): Promise<{ readonly lease: RunLease } | { readonly existing: StoredRun }> {
    const names = this.#namesIn(run);
    const sealer = new Sealer(run.id, names, this.#known);
    const sealed = events.map((event) => withData(event, sealer.data(event.data)));
    const created = await this.#journal.create(this.sealRun(run), owner, sealed);
    if ("lease" in created && names.length > 0) this.#names.set(run.id, names);
    return created;
  }

  submit(run: NewRun, events: readonly JournalEvent[] = []): Promise<{ readonly existing: StoredRun } | undefined> {
    const sealer = new Sealer(run.id, this.#namesIn(run), this.#known);
    return this.#journal.submit(
      this.sealRun(run),
      events.map((event) => withData(event, sealer.data(event.data))),
    );
  }

  /** The run as it is stored. */
  sealRun<Run extends Pick<NewRun, "id" | "kind" | "definition" | "input" | "context">>(run: Run): Run {
    const sealer = new Sealer(run.id, this.#namesIn(run), this.#known);
    const seal = (json: string): string => (this.#usesSecrets(run) ? sealer.json(json) : sealer.redactedJson(json));
    return { ...run, input: seal(run.input), context: seal(run.context) };
  }

  /** A run as it is stored, to be compared: secrets in it stay handles. */
  closed<Run extends Pick<NewRun, "kind" | "input" | "context">>(run: Run): Run {
    return !this.#usesSecrets(run) ? run : { ...run, input: withoutMark(run.input), context: withoutMark(run.context) };
  }

  async claim(runId: string, owner: string, reopen?: boolean): Promise<Claim> {
    const claim = await this.#journal.claim(runId, owner, reopen);
    const names = claim.kind === "claimed" ? this.#namesIn(claim.run) : none;
    if (names.length > 0) this.#names.set(runId, names);
    return claim;
  }

  append(lease: RunLease, event: NewJournalEvent): Promise<void> | undefined {
    if (!this.#known.redactor.knowsAny()) return this.#journal.append(lease, event);
    return this.#journal.append(lease, withData(event, this.#sealerOf(lease.runId).data(event.data)));
  }

  finish(lease: RunLease, end: RunEnd): Promise<"finished" | "woken"> {
    const sealer = this.#sealerOf(lease.runId);
    this.#names.delete(lease.runId);
    if (!this.#known.redactor.knowsAny()) return this.#journal.finish(lease, end);
    const { output, error, turn } = end;
    return this.#journal.finish(lease, {
      ...end,
      ...(output !== undefined && { output: sealer.redactedJson(output) }),
      ...(error !== undefined && { error: sealer.redactedJson(error) }),
      ...(typeof turn === "string" && { turn: sealer.redactedJson(turn) }),
      ...(typeof turn === "function" && { turn: () => sealer.redactedJson(turn()) }),
    });
  }

  conversations(query: ConversationQuery): Promise<readonly StoredConversation[]> {
    return this.#journal.conversations(query);
  }

  removeConversation(conversationId: string): Promise<ConversationRemoval> {
    return this.#journal.removeConversation(conversationId);
  }

  addTurn(conversationId: string, turn: NewConversationTurn): Promise<void> {
    return this.#journal.addTurn(conversationId, { ...turn, data: this.#sealerOf("").redactedJson(turn.data) });
  }

  /** Opens the handles of a run that resumes. Throws `run_changed`, reason `secret_changed`, if a secret has changed. */
  open<Stored extends RunRecording>(stored: Stored): Stored {
    return this.#opened(stored, true);
  }

  /** The same for displaying a run: a secret that has changed is shown as its name. */
  reveal<Stored extends RunRecording>(stored: Stored): Stored {
    return this.#opened(stored, false);
  }

  /** The same for events alone. */
  revealEvents(runId: string, events: readonly JournalEvent[]): readonly JournalEvent[] {
    const opener = new Opener(runId, this.#known.secrets, false);
    return events.map((event) => withData(event, opener.data(event.data)));
  }

  deliver(event: NewExternalEvent): Promise<EventDelivery> {
    return this.#journal.deliver({ ...event, data: this.#sealerOf("").redactedJson(event.data) });
  }

  inbox(runId: string, after: number): Promise<readonly ExternalEvent[]> {
    return this.#journal.inbox(runId, after);
  }

  requestCancel(runId: string, by: string | undefined): Promise<boolean> {
    return this.#journal.requestCancel(runId, by);
  }

  changes(owner: string, runIds: readonly string[]): Promise<readonly CancelRequest[]> {
    return this.#journal.changes(owner, runIds);
  }

  read(runId: string): Promise<RunRecording | undefined> {
    return this.#journal.read(runId);
  }

  list(query?: RunQuery): Promise<readonly StoredRun[]> {
    return this.#journal.list(query);
  }

  executable(query: ExecutableRunQuery): Promise<readonly ExecutableRun[]> {
    return this.#journal.executable(query);
  }

  updates(cursors: readonly RunCursor[]): Promise<readonly (RunUpdate | undefined)[]> {
    return this.#journal.updates(cursors);
  }

  watch(changed: (runId?: string) => void): () => void {
    return this.#journal.watch(changed);
  }

  turns(conversationId: string, range?: ConversationTurnRange): Promise<readonly ConversationTurn[]> {
    return this.#journal.turns(conversationId, range);
  }

  #opened<Stored extends RunRecording>(stored: Stored, isStrict: boolean): Stored {
    const { run, events } = stored;
    const opener = new Opener(run.id, this.#known.secrets, isStrict);
    return {
      ...stored,
      run: this.#usesSecrets(run) ? { ...run, input: opener.json(run.input), context: opener.json(run.context) } : run,
      events: events.map((event) => withData(event, opener.data(event.data))),
    };
  }

  /** The names after `secret.` in the expressions of a chain, possibly a few too many. */
  #namesIn(run: Pick<NewRun, "kind" | "definition">): readonly string[] {
    const { definition } = run;
    if (!definition.includes("secret.") || !this.#usesSecrets(run)) return none;
    return [...new Set([...definition.matchAll(/\bsecret\.([\w-]+)/g)].map(([, name = ""]) => name))];
  }

  #sealerOf(runId: string): Sealer {
    return new Sealer(runId, this.#names.get(runId) ?? none, this.#known);
  }
}

const none: readonly string[] = [];

function withData<Event extends JournalEvent>(event: Event, data: unknown): Event {
  return data === event.data ? event : { ...event, data };
}
