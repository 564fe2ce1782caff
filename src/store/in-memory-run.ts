import type {
  EventDelivery,
  ExternalEvent,
  JournalEvent,
  NewJournalEvent,
  NewRun,
  RunEnd,
  RunQuery,
  RunStatus,
  RunUpdate,
  RunWait,
  StoredRun,
  ConversationQuery,
  StoredConversation,
} from "./run-journal.ts";
import { eventsPerUpdate, isFinished, isLargePayload, maxInboxEvents, textInJson } from "./run-state.ts";

/** A run of an in-memory journal, as it changes. */
export interface InMemoryRun {
  readonly made: NewRun;
  readonly position: number;
  /** In order, by reference. */
  readonly events: NewJournalEvent[];
  /** The positions of its events in the changes of the journal. */
  readonly positions: number[];
  /** External events, in order. */
  readonly inbox: ExternalEvent[];
  status: RunStatus;
  end: RunEnd | undefined;
  owner: string | undefined;
  epoch: number;
  deaths: number;
  cancel: { readonly by: string | undefined } | undefined;
  /** The wait of a suspended run; `ready` once the run may continue. */
  waitsFor: RunWait | "ready" | undefined;
}

/** The run as a journal returns it. */
export function storedRun(stored: InMemoryRun): StoredRun {
  const { made, status, end, owner, epoch, deaths, cancel, waitsFor } = stored;
  return {
    ...made,
    status,
    ...(typeof waitsFor === "object" && { waitsFor }),
    ...(end !== undefined && { finishedAt: end.at }),
    ...(end?.output !== undefined && { output: end.output }),
    ...(end?.error !== undefined && { error: end.error }),
    cancelRequested: cancel !== undefined,
    ...(cancel?.by !== undefined && { cancelBy: cancel.by }),
    ...(owner !== undefined && { leaseHolder: owner }),
    epoch,
    deaths,
  };
}

/** The same for a list. */
export function listedRun(stored: InMemoryRun): StoredRun {
  const { output, ...run } = storedRun(stored);
  return output === undefined || isLargePayload(output) ? run : { ...run, output };
}

/** Adds an external event to the inbox of a run, and wakes the run if it waits for the event. */
export function deliverTo(
  stored: InMemoryRun,
  event: Omit<ExternalEvent, "position">,
  nextPosition: () => number,
): EventDelivery {
  const { inbox, waitsFor, status } = stored;
  if (inbox.some(({ id, name }) => id === event.id && name === event.name)) return "repeated";
  if (isFinished(status)) return "ended";
  if (inbox.length >= maxInboxEvents) return "full";
  inbox.push({ position: nextPosition(), ...event });
  const isAwaited = typeof waitsFor === "object" && waitsFor.events?.some(({ name }) => name === event.name);
  if (status === "waiting" && isAwaited === true) stored.waitsFor = "ready";
  return "delivered";
}

/** True if the inbox has an event that the wait has not seen. */
export function hasAwaitedEvent(inbox: readonly ExternalEvent[], { events = [] }: RunWait): boolean {
  return events.some(({ name, after }) => inbox.some((event) => event.name === name && event.position > after));
}

/** Its events as a journal returns them. */
export function eventsOf({ events }: InMemoryRun): JournalEvent[] {
  return events.map(publicEvent);
}

/** The event without its record. */
export function publicEvent({ seq, kind, key, at, data }: NewJournalEvent): JournalEvent {
  return { seq, kind, key, at, data };
}

/** The change of a run since an event. */
export function runUpdate({ made, status, epoch, events }: InMemoryRun, after: number, isAwake: boolean): RunUpdate {
  return {
    id: made.id,
    kind: made.kind,
    status,
    epoch,
    isSuspended: status === "waiting" && !isAwake,
    events: events.slice(after, after + eventsPerUpdate).map(publicEvent),
  };
}

/** True if the run has the properties that the query names. */
export function matchesQuery(stored: InMemoryRun, query: RunQuery): boolean {
  const { made, status } = stored;
  const requested: readonly (readonly [unknown, unknown])[] = [
    [query.id, made.id],
    [query.kind, made.kind],
    [query.name, made.name],
    [query.status, status],
    [query.conversation, made.conversation?.id],
    [query.calledBy, made.calledBy],
  ];
  if (requested.some(([value, own]) => value !== undefined && value !== own)) return false;
  if (query.since !== undefined && made.startedAt < query.since) return false;
  return query.text === undefined || containsText(stored, query.text);
}

/** True if its id, name or error contains the text; ASCII letters match in either case. */
function containsText({ made, end }: InMemoryRun, text: string): boolean {
  const lower = (value: string): string => value.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const [searched, inError] = [lower(text), lower(textInJson(text))];
  return (
    [made.id, made.name].some((part) => lower(part).includes(searched)) || lower(end?.error ?? "").includes(inError)
  );
}

/** The conversations of these runs, which are in the order of their positions; the one with the newest run first. */
export function listConversations(
  runs: Iterable<InMemoryRun>,
  { id: requested, before = Infinity, limit }: ConversationQuery,
): readonly StoredConversation[] {
  const found = new Map<string, StoredConversation>();
  for (const { made, position } of runs) {
    if (made.conversation === undefined) continue;
    const { id } = made.conversation;
    const { runs: count, firstRun } = found.get(id) ?? { runs: 0, firstRun: made.id };
    found.set(id, { id, runs: count + 1, firstRun, lastRun: made.id, position });
  }
  return [...found.values()]
    .filter(({ id, position }) => position < before && (requested ?? id) === id)
    .sort((a, b) => b.position - a.position)
    .slice(0, limit);
}

/** The runs of a conversation, and those that they called: a run is stored after the one that called it. */
export function runsOfConversation(runs: Iterable<InMemoryRun>, conversationId: string): readonly InMemoryRun[] {
  const found = new Map<string, InMemoryRun>();
  for (const run of runs) {
    const { id, conversation, calledBy } = run.made;
    if (conversation?.id === conversationId || found.has(calledBy ?? "")) found.set(id, run);
  }
  return [...found.values()];
}
