import {
  createIds,
  Deadlines,
  EventBus,
  type EventStream,
  LinkedList,
  type Listener,
  WallTime,
  systemClock,
} from "../base/index.ts";
import {
  type BriefSummary,
  type ConversationSummary,
  type RecordPage,
  type RecordQuery,
  type RecordStore,
  type Statistics,
  brief,
  createMemoryApprovals,
  createMemoryCache,
  createMemoryRecords,
} from "../store/index.ts";
import { type Redactor, createRedactor } from "../text/index.ts";
import {
  type AnyTool,
  type InputOf,
  type OutputOf,
  type Secrets,
  ToolRegistry,
  type ToolResult,
} from "../tool/index.ts";
import { parkingApprover } from "./approver.ts";
import { Call } from "./call.ts";
import type { CallContext } from "./call-context.ts";
import type { CallHandle } from "./call-hooks.ts";
import type { BucketMetrics, ConcurrencyMetrics } from "./concurrency-metrics.ts";
import type { Resolver, Core } from "./core.ts";
import { type Denies, denials } from "./denials.ts";
import type { EngineEvent, EngineEventType } from "./events.ts";
import { messageOf } from "./failed-attempt.ts";
import { Flights } from "./flights.ts";
import { logSink } from "./log-sink.ts";
import { type EngineOptions, engineDefaults } from "./engine-options.ts";
import { availability } from "./availability.ts";
import { checkRules } from "./check-rules.ts";
import { compilePermissions } from "./permissions.ts";
import { Scheduler } from "./scheduler.ts";
import { type Surround, surroundAll } from "./surround.ts";

/** How an engine closes. */
export interface CloseOptions {
  /** How long calls under way may take to finish before they are aborted; 5 s where absent. */
  readonly drainMs?: number;
}

const noContext: CallContext = {};

/** Makes calls of tools, under one policy, one set of limits and one record. Made by {@link createEngine}. */
export class Engine {
  /** The tools it knows. */
  readonly tools: ToolRegistry;
  readonly records: RecordStore;
  readonly #core: Core;
  #surrounding: readonly Surround[] = [];
  #closing: Promise<void> | undefined;

  constructor(options: EngineOptions = {}) {
    this.tools = options.registry ?? new ToolRegistry();
    for (const tool of options.tools ?? []) this.tools.register(tool);
    this.records = options.records ?? createMemoryRecords({ redactor: redactorOf(options) });
    this.#core = this.#createCore(options);
  }

  /**
   * Calls a tool. The result is a value, never an exception; narrow it on `success`. Typed when given a tool,
   * `unknown` when given a name.
   *
   * @example
   * ```ts
   * const result = await engine.call("calculator", { expression: "2*(3+4)" });
   * if (result.success) console.log(result.output);
   * ```
   */
  call<T extends AnyTool>(tool: T, args: InputOf<T>, context?: CallContext): Promise<ToolResult<OutputOf<T>>>;
  call(name: string, args?: unknown, context?: CallContext): Promise<ToolResult>;
  call(target: string | AnyTool, args?: unknown, context: CallContext = noContext): Promise<ToolResult> {
    const result = new Call(this.#core, { target, args, context }).run();
    return result instanceof Promise ? result : Promise.resolve(result);
  }

  /** The values that `ctx.secrets` gives; whoever else opens a handle of a secret asks here. */
  get secrets(): Secrets {
    return this.#core.secrets;
  }

  /** Finds tools by the names that calls use: the registry, or what chooses among several. */
  get resolver(): Resolver {
    return this.#core.resolver;
  }

  /** Hides secrets in whatever leaves. */
  get redactor(): Redactor {
    return this.#core.redactor;
  }

  /** Prepares a call that can be stopped without an `AbortSignal`; its `run()` makes it. For runs of chains. */
  begin(target: string | AnyTool, args: unknown, context: CallContext = noContext): CallHandle {
    return new Call(this.#core, { target, args, context });
  }

  /** Could this tool be called now, as far as its status and the settings are concerned? Rules are not asked. */
  isAvailable(tool: AnyTool): boolean {
    return tool.broken === undefined && this.#core.unavailable(tool) === undefined;
  }

  /**
   * Why the rules refuse something, for what runs without being called, such as a chain. Undefined where they refuse
   * nothing at all; what they would ask about is not refused.
   */
  get denies(): Denies | undefined {
    return this.#core.denies;
  }

  /** Tells a listener every event, or those of some types; returns the function that unsubscribes. */
  subscribe(listener: Listener<EngineEvent>, types?: Iterable<EngineEventType>): () => void {
    return this.#core.events.subscribe(listener, types);
  }

  /** The events from now on, for `for await`; a slow reader misses the oldest, never holds the engine up. */
  events(options?: {
    types?: Iterable<EngineEventType>;
    capacity?: number;
    signal?: AbortSignal;
  }): EventStream<EngineEvent> {
    return this.#core.events.stream(options);
  }

  /** Runs every handler inside of something, such as a trace; returns the function that ends it. */
  surround(around: Surround): () => void {
    this.#surrounding = [...this.#surrounding, around];
    this.#core.surround = surroundAll(this.#surrounding);
    return () => {
      this.#surrounding = this.#surrounding.filter((other) => other !== around);
      this.#core.surround = surroundAll(this.#surrounding);
    };
  }

  /** Tells the subscribers something; for sources of tools. */
  emit(event: EngineEvent): void {
    this.#core.events.emit(event);
  }

  /** How much runs and waits now, and what happened so far. */
  metrics(): ConcurrencyMetrics {
    return this.#core.scheduler.metrics();
  }

  /** The same per category. */
  bucketMetrics(): Record<string, BucketMetrics> {
    return this.#core.scheduler.bucketMetrics();
  }

  /** Records of calls, newest first. */
  queryRecords(query: RecordQuery = {}): Promise<RecordPage> {
    return this.records.query(query);
  }

  /** What happened in a conversation. */
  callSummary(conversationId: string): Promise<ConversationSummary> {
    return this.records.summary(conversationId);
  }

  /** The short form of {@link callSummary}, for an agent's final answer. */
  async briefSummary(conversationId: string): Promise<BriefSummary> {
    return brief(await this.records.summary(conversationId));
  }

  /** Figures over all kept records, also per tool. */
  callStatistics(query?: Pick<RecordQuery, "since" | "until" | "tool">): Promise<Statistics> {
    return this.records.statistics(query);
  }

  /** Takes no new calls, lets those under way finish, aborts those that do not, and flushes the records. */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options.drainMs ?? 5000);
    return this.#closing;
  }

  async #close(drainMs: number): Promise<void> {
    const { live, clock, limits } = this.#core;
    const drained = async (ms: number): Promise<void> => {
      const until = clock.elapsed() + ms;
      while (live.size > 0 && clock.elapsed() < until) {
        await new Promise<void>((resolve) => clock.after(Math.min(10, ms), resolve));
      }
    };
    await drained(drainMs);
    for (const call of live.toArray()) call.abort("cancelled");
    // An aborted handler has its grace period; after that its call ends without it.
    await drained(limits.graceMs + 1000);
    await this.records.flush();
  }

  #createCore(options: EngineOptions): Core {
    const clock = options.clock ?? systemClock;
    const ids = options.ids ?? createIds();
    const deadlines = new Deadlines(clock);
    const redactor = redactorOf(options);
    const log = logSink(options.onLog, redactor);
    const approver = options.approver ?? parkingApprover(createMemoryApprovals({ ids, clock }), clock);
    const { secrets = {}, missingSecrets = {} } = options;
    const permissions = compilePermissions(options.permissions);
    return {
      clock,
      wallTime: new WallTime(clock),
      ids,
      deadlines,
      approver,
      preapproved: options.preapproved,
      log,
      random: options.random ?? Math.random,
      resolver: options.resolver ?? this.tools,
      scheduler: new Scheduler(options.concurrency ?? {}, clock, deadlines),
      events: new EventBus<EngineEvent>((error, event) => {
        log({
          at: clock.now(),
          callId: "",
          tool: "",
          message: `a subscriber failed on ${event.type}: ${messageOf(error)}`,
        });
      }),
      records: this.records,
      cache: options.cache ?? createMemoryCache({}),
      flights: new Flights(),
      redactor,
      secrets: {
        get: (name) => (Object.hasOwn(secrets, name) ? secrets[name] : undefined),
        todo: (name) => (Object.hasOwn(missingSecrets, name) ? missingSecrets[name] : undefined),
      },
      limits: { ...engineDefaults, ...options.limits },
      strict: options.strictValidation ?? false,
      live: new LinkedList<Call>(),
      permissions,
      denies: denials(options.permissions, permissions),
      placeOf: options.placeOf,
      surround: undefined,
      unavailable: availability(options),
      isClosed: () => this.#closing !== undefined,
    };
  }
}

function redactorOf(options: EngineOptions) {
  return options.redactor ?? createRedactor(Object.values(options.secrets ?? {}));
}

/**
 * Makes an engine. Without options: in-memory records, no tools, the documented limits. Throws where a rule of
 * `permissions` cannot be read, or is a misspelt word that would guard nothing.
 *
 * @example
 * ```ts
 * const engine = createEngine({ tools: [add] });
 * const result = await engine.call(add, { a: 1, b: 2 });
 * ```
 */
export function createEngine(options: EngineOptions = {}): Engine {
  const engine = new Engine(options);
  checkRules(options.permissions ?? {}, engine.tools);
  return engine;
}
