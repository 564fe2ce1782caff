import type { StreamTopic } from "../../api/index.ts";
import { runTopic } from "../../api/index.ts";
import type { Workspace } from "../../app/index.ts";
import type { RunEvent } from "../../chain/index.ts";
import {
  type ChangeFeed,
  type FeedChange,
  type FeedFilter,
  type FeedPosition,
  feedStart,
  isFinished,
} from "../../store/index.ts";
import { idOf } from "./event-cursor.ts";
import { encodeEvent, heartbeat } from "./event-reader.ts";
import { type ActivityListener, LiveRuns } from "./live-runs.ts";
import type { Subscription } from "./subscription.ts";
import { TopicSources } from "./topic-sources.ts";
import { toWireChange } from "./wire-change.ts";

const heartbeatMs = 15_000;
/** After this number of bytes, the sockets are written before more is sent. */
const burstBytes = 1 << 18;

/**
 * Sends the events of a workspace to all readers. It reads the changes once for all of them, as far as the topics of the
 * readers need it.
 */
export class EventHub {
  readonly live: LiveRuns;
  readonly #workspace: Workspace;
  readonly #topics = new Map<StreamTopic, Set<Subscription>>();
  readonly #all = new Set<Subscription>();
  /** Readers that receive events as they happen. */
  readonly #joined = new Set<Subscription>();
  readonly #sources: TopicSources;
  /** Everything up to this position was sent to the joined readers. */
  #position: FeedPosition = feedStart;
  #feedId = "";
  #unwatch: (() => void) | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #isDue = false;
  #reading: Promise<void> | undefined;
  #isClosed = false;

  /** @param onRunEvent Receives the events of chains too. */
  constructor(workspace: Workspace, onRunEvent?: (event: RunEvent) => void) {
    this.#workspace = workspace;
    const report: ActivityListener = (runId, activity) => this.publish(runTopic(runId), "activity", activity);
    this.live = new LiveRuns(workspace.engine.redactor, report, onRunEvent);
    this.#sources = new TopicSources(workspace, (topic, type, data) => this.publish(topic, type, data));
  }

  get feed(): ChangeFeed {
    return this.#workspace.changes;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Adds a reader, which does not receive anything before it joins. */
  add(subscription: Subscription): void {
    this.#all.add(subscription);
    this.#heartbeat ??= setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  /**
   * Joins a reader that has received everything up to a position. False if that is not everything that was sent to the
   * others: it has to catch up first.
   */
  async join(subscription: Subscription, position: FeedPosition): Promise<boolean> {
    await this.#reading;
    if (!this.#all.has(subscription)) return true;
    if (this.#joined.size === 0) this.#position = position;
    else if (this.#position.event > position.event || this.#position.change > position.change) return false;
    this.#joined.add(subscription);
    for (const topic of subscription.topics) {
      let readers = this.#topics.get(topic);
      if (readers === undefined) {
        this.#topics.set(topic, (readers = new Set()));
        this.#sources.start(topic);
      }
      readers.add(subscription);
    }
    this.#unwatch ??= this.feed.watch(() => this.#changed());
    // Changes before the watch began.
    this.#changed();
    return true;
  }

  leave(subscription: Subscription): void {
    this.#all.delete(subscription);
    this.#joined.delete(subscription);
    for (const topic of subscription.topics) {
      const readers = this.#topics.get(topic);
      readers?.delete(subscription);
      if (readers?.size !== 0) continue;
      this.#topics.delete(topic);
      this.#sources.stop(topic);
    }
    if (this.#joined.size === 0) {
      this.#unwatch?.();
      this.#unwatch = undefined;
    }
    if (this.#all.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /** Sends an ephemeral event to the readers of a topic. */
  publish(topic: StreamTopic, type: "activity" | "call" | "metrics", data: object): void {
    const readers = this.#topics.get(topic);
    if (readers === undefined) return;
    const bytes = encodeEvent(type, data);
    for (const reader of readers) reader.send(bytes);
  }

  /** Ends all streams, after everything that was sent. Clients reconnect to the next server. */
  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#all) subscription.close();
  }

  #beat(): void {
    for (const subscription of this.#all) subscription.send(heartbeat);
  }

  #changed(): void {
    this.#isDue = true;
    this.#reading ??= this.#readAll().finally(() => void (this.#reading = undefined));
  }

  async #readAll(): Promise<void> {
    // Changes of the same moment are read together.
    await Promise.resolve();
    this.#feedId ||= (await this.feed.head()).id;
    while (this.#isDue && this.#joined.size > 0) {
      this.#isDue = false;
      try {
        await this.#readOn();
      } catch {
        // The next change, or the next check of the store, reads again.
        return;
      }
    }
  }

  async #readOn(): Promise<void> {
    for (let isLast = false; !isLast;) {
      const page = await this.feed.read(this.#position, this.#filter());
      // They were removed before they were read: clients read the present state.
      if (page === undefined) return this.#restart();
      await this.#sendPage(page.changes);
      ({ position: this.#position, isLast } = page);
    }
  }

  #restart(): void {
    for (const subscription of this.#joined) subscription.close();
  }

  #filter(): FeedFilter {
    const runIds = [...this.#topics.keys()].filter((topic) => topic.startsWith("run:")).map((topic) => topic.slice(4));
    return { runs: this.#topics.has("runs"), approvals: this.#topics.has("approvals"), runIds };
  }

  async #sendPage(changes: readonly FeedChange[]): Promise<void> {
    let sent = 0;
    for (const change of changes) {
      sent += this.#send(change);
      if (sent < burstBytes) continue;
      sent = 0;
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }

  /** Sends a change to its readers; returns the size of the event. */
  #send(change: FeedChange): number {
    const isOver = change.kind === "run" && (isFinished(change.status) || change.isSuspended);
    if (isOver) this.live.forget(change.run.id);
    const readers = new Set(topicsOf(change).flatMap((topic) => [...(this.#topics.get(topic) ?? [])]));
    if (readers.size === 0) return 0;
    const bytes = this.encode(change);
    for (const reader of readers) reader.change(change, bytes);
    return bytes.byteLength;
  }

  /** The event of a change. */
  encode(change: FeedChange): Uint8Array {
    const { type, data } = toWireChange(change, this.#workspace.engine.redactor);
    return encodeEvent(type, data, idOf(this.#feedId, change));
  }

  /** The id of the feed, which cursors begin with. */
  async feedId(): Promise<string> {
    return (this.#feedId ||= (await this.feed.head()).id);
  }
}

/** The topics whose readers receive a change. */
function topicsOf(change: FeedChange): StreamTopic[] {
  switch (change.kind) {
    case "event":
      return [runTopic(change.runId)];
    case "run":
      return ["runs", runTopic(change.run.id)];
    case "approval":
      return ["approvals", ...(change.approval.runId === undefined ? [] : [runTopic(change.approval.runId)])];
  }
}
