import type { StreamTopic } from "../../api/index.ts";
import {
  type FeedChange,
  type FeedCursor,
  type FeedFilter,
  type FeedPosition,
  type StoredRun,
  feedStart,
  isFinished,
} from "../../store/index.ts";
import type { Workspace } from "../../app/index.ts";
import { fromCursor, toCursor } from "./event-cursor.ts";
import type { EventHub } from "./event-hub.ts";
import { EventReader, encodeEvent } from "./event-reader.ts";
import { toRunChange } from "./wire-change.ts";

/** The events that a reader wants. */
export interface Subscribed {
  readonly topics: readonly StreamTopic[];
  /** The runs of its topics, as they are now. */
  readonly runs: readonly StoredRun[];
  /** The last event that it has; undefined for a new reader. */
  readonly after: string | undefined;
  /** End the stream once its runs have ended. */
  readonly untilEnd: boolean;
  /** Closes the connection of the reader. */
  readonly disconnect?: (() => void) | undefined;
}

/**
 * One reader of the events. First it catches up: with the events after its last one, or, if it is new, with everything
 * about the runs of its topics. Then it joins the readers that receive events as they happen.
 */
export class Subscription {
  readonly topics: readonly StreamTopic[];
  readonly #hub: EventHub;
  readonly #workspace: Workspace;
  readonly #subscribed: Subscribed;
  readonly #reader: EventReader;
  readonly #unended: Set<string>;
  #position: FeedPosition = feedStart;

  constructor(hub: EventHub, workspace: Workspace, subscribed: Subscribed) {
    this.#hub = hub;
    this.#workspace = workspace;
    this.#subscribed = subscribed;
    this.topics = subscribed.topics;
    this.#reader = new EventReader(subscribed.disconnect);
    this.#unended = new Set(subscribed.runs.map(({ id }) => id));
    this.#reader.onClose(() => hub.leave(this));
  }

  /** Begins to send events; returns the body of the response. */
  open(signal: AbortSignal): ReadableStream<Uint8Array> {
    this.#hub.add(this);
    signal.addEventListener("abort", () => this.close(), { once: true });
    this.#follow().catch((error: unknown) => {
      // Such as a store that is closed. The client reconnects.
      this.close();
      if (!this.#hub.isClosed) process.emitWarning(`a stream of events ended: ${String(error)}`);
    });
    return this.#reader.body;
  }

  send(bytes: Uint8Array): void {
    this.#reader.send(bytes);
  }

  /** Sends a change, unless it was sent before. */
  change(change: FeedChange, bytes: Uint8Array): void {
    const { position } = change;
    const isNew =
      change.kind === "event" ? position.event > this.#position.event : position.change > this.#position.change;
    if (!isNew) return;
    this.#position = position;
    this.#reader.send(bytes);
    if (change.kind === "run" && isFinished(change.status)) this.#runEnded(change.run.id);
  }

  close(): void {
    this.#reader.close();
  }

  async #follow(): Promise<void> {
    const feedId = await this.#hub.feedId();
    const isNew = await this.#catchUp(feedId);
    if (!this.#reader.isOpen) return;
    this.#send("ready", {}, toCursor(feedId, this.#position));
    this.#sendEndedRuns(feedId, isNew);
    for (const { id } of this.#subscribed.runs) {
      const snapshot = this.#hub.live.snapshot(id);
      if (snapshot !== undefined) this.#send("snapshot", snapshot);
    }
  }

  /** True if it began with everything about its runs. */
  async #catchUp(feedId: string): Promise<boolean> {
    const { after } = this.#subscribed;
    const known = after === undefined ? undefined : fromCursor(feedId, after);
    if (known !== undefined && (await this.#sendAfter(known, this.#filter(true)))) return false;
    if (after !== undefined) this.#send("reset", { reason: "the events after this id are not available any more" });
    const head = await this.#hub.feed.head();
    const ids = this.#subscribed.runs.map(({ id }) => id);
    // News of the other topics begin now.
    if (ids.length > 0) await this.#sendUpTo(head, await this.#hub.feed.startOf(ids));
    await this.#sendAfter(head, this.#filter(true));
    return true;
  }

  /** Sends everything about its runs up to a position. */
  async #sendUpTo(end: FeedPosition, start: FeedPosition): Promise<void> {
    this.#position = start;
    for (let isLast = false; !isLast && this.#reader.isOpen;) {
      const page = await this.#hub.feed.read(this.#position, this.#filter(false));
      if (page === undefined) break;
      for (const change of page.changes) {
        const { position } = change;
        if (change.kind === "event" ? position.event > end.event : position.change > end.change) {
          isLast = true;
          break;
        }
        await this.#sendChange(change);
      }
      isLast ||= page.isLast;
      this.#position = page.position;
    }
    this.#position = end;
  }

  /** Sends everything after a position, and joins. False if the feed does not have it any more. */
  async #sendAfter(start: FeedCursor, filter: FeedFilter): Promise<boolean> {
    let next = start;
    this.#position = { event: start.event, change: start.change ?? -1 };
    do {
      for (let isLast = false; !isLast;) {
        if (!this.#reader.isOpen) return true;
        const page = await this.#hub.feed.read(next, filter);
        if (page === undefined) return false;
        for (const change of page.changes) await this.#sendChange(change);
        ({ isLast } = page);
        next = this.#position = page.position;
      }
    } while (!(await this.#hub.join(this, this.#position)));
    return true;
  }

  async #sendChange(change: FeedChange): Promise<void> {
    await this.#reader.ready();
    this.change(change, this.#hub.encode(change));
  }

  /** Ends the runs whose end was sent before; runs of earlier versions have no change of their end. */
  #sendEndedRuns(feedId: string, isNew: boolean): void {
    for (const run of this.#subscribed.runs) {
      if (!this.#unended.has(run.id) || !isFinished(run.status)) continue;
      const { redactor } = this.#workspace.engine;
      const data = toRunChange({ status: run.status, isSuspended: false, run }, redactor);
      if (isNew) this.#send("run", data, toCursor(feedId, this.#position));
      this.#runEnded(run.id);
    }
  }

  #runEnded(runId: string): void {
    const isLast = this.#unended.delete(runId) && this.#unended.size === 0;
    if (!isLast || !this.#subscribed.untilEnd) return;
    this.#send("end", {});
    this.close();
  }

  #send(type: string, data: object, id?: string): void {
    this.#reader.send(encodeEvent(type, data, id));
  }

  #filter(isAll: boolean): FeedFilter {
    const has = (topic: StreamTopic): boolean => isAll && this.topics.includes(topic);
    const runIds = this.#subscribed.runs.map(({ id }) => id);
    return { runs: has("runs"), approvals: has("approvals"), runIds };
  }
}
