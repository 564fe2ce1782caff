import {
  createIdGenerator,
  Deadlines,
  EventBus,
  type EventStream,
  LinkedList,
  type Listener,
  WallTime,
  sleep,
  systemClock,
  FailureError,
  invalidTimeout,
  isTimeoutMs,
  foldName,
} from "../base/index.ts";
import {
  type BriefSummary,
  type CallerType,
  type ConversationSummary,
  type RecordPage,
  type RecordQuery,
  type RecordStore,
  type Statistics,
  toBriefSummary,
  createInMemoryApprovals,
  createInMemoryResultCache,
  createInMemoryRecords,
} from "../store/index.ts";
import { type Redactor, createRedactor, rememberSecrets } from "../secrets/index.ts";
import {
  type AnyTool,
  type InputOf,
  type OutputOf,
  type RegistryListener,
  type Secrets,
  ToolRegistry,
  type ToolResult,
} from "../tool/index.ts";
import { storedApprover } from "./approval-service.ts";
import { Call } from "./call.ts";
import type { CallContext } from "./call-context.ts";
import type { CallHandle } from "./internals.ts";
import type { BucketMetrics, ConcurrencyMetrics } from "./concurrency-metrics.ts";
import type { CallLimits, Resolver, EngineCore, LogEntry } from "./engine-core.ts";
import { type FindDenial, createDenials } from "./denials.ts";
import type { EngineEvent, EngineEventType, ToolEvent } from "./events.ts";
import { findTool } from "./find-tool.ts";
import { thrownMessage } from "./handler-failure.ts";
import { InFlightCalls } from "./in-flight-calls.ts";
import { type EngineOptions, engineDefaults } from "./engine-options.ts";
import { compilePermissions, isEverAllowed, type PermissionRules } from "./permissions.ts";
import { Scheduler } from "./scheduler.ts";
import { trustedHosts } from "./untrusted-targets.ts";
import { type HandlerWrapper, composeWrappers } from "./handler-wrapper.ts";
import { type RuleSubjects, unmatchedRule, defaultSources } from "./unmatched-rule.ts";

/** Options of {@link Engine.close}. */
export interface CloseOptions {
  /** Time that running calls have to finish before they are aborted. Default: 5 s. */
  readonly drainMs?: number;
}

const noContext: CallContext = {};

/**
 * Calls tools under one permission policy, one set of limits and one record store. Created by {@link createEngine}.
 *
 * @see docs/guide/engine.md
 */
export class Engine {
  /** The tools it knows. */
  readonly tools: ToolRegistry;
  readonly records: RecordStore;
  readonly #core: EngineCore;
  #wrappers: readonly HandlerWrapper[] = [];
  #closing: Promise<void> | undefined;
  readonly #unlisten: () => void;
  readonly #onToolChange: RegistryListener = ({ added, updated, removed }, source) => {
    this.#emitTools("tool_added", added, source);
    this.#emitTools("tool_updated", updated, source);
    this.#emitTools("tool_removed", removed, source);
  };

  constructor(options: EngineOptions = {}) {
    this.tools = options.registry ?? new ToolRegistry();
    for (const tool of options.tools ?? []) this.tools.register(tool);
    this.records = options.records ?? createInMemoryRecords({ redactor: redactorOf(options) });
    this.#core = this.#createCore(options);
    this.#unlisten = this.tools.listen(this.#onToolChange);
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
  call(name: string, args?: unknown, context?: CallContext): Promise<ToolResult>;
  // Last, because TypeScript explains why the last one does not match.
  call<T extends AnyTool>(tool: T, args: InputOf<T>, context?: CallContext): Promise<ToolResult<OutputOf<T>>>;
  call(target: string | AnyTool, args?: unknown, context: CallContext = noContext): Promise<ToolResult> {
    const result = new Call(this.#core, { target, args, context }).run();
    return result instanceof Promise ? result : Promise.resolve(result);
  }

  /** The secrets that `ctx.secrets` provides; also used to open secret handles outside of handlers. */
  get secrets(): Secrets {
    return this.#core.secrets;
  }

  /** Finds tools by the names that calls use: the registry, or the hub that chooses among several tools. */
  get resolver(): Resolver {
    return this.#core.resolver;
  }

  /** Redacts secrets in everything that leaves the engine. */
  get redactor(): Redactor {
    return this.#core.redactor;
  }

  /** Prepares a call that can be aborted without an `AbortSignal`; its `run()` executes it. For runs of chains. */
  begin(target: string | AnyTool, args: unknown, context: CallContext = noContext): CallHandle {
    return new Call(this.#core, { target, args, context });
  }

  /** True if the status of the tool and the settings allow calls. Does not check the permission rules. */
  isAvailable(tool: AnyTool): boolean {
    return tool.broken === undefined && this.#core.unavailable(tool) === undefined;
  }

  /** True if the permission rules let this caller call the tool with some arguments, perhaps after an approval. */
  permits(tool: AnyTool, callerType: CallerType): boolean {
    const { denies, resolver } = this.#core;
    if (denies === undefined) return true;
    const registration = findTool(tool, resolver);
    if (registration === undefined) return true;
    return isEverAllowed(registration, (subject) => denies({ ...subject, callerType }) === undefined);
  }

  /**
   * Returns the denials of the rules for something that runs without being called, such as a chain. Undefined if they
   * deny nothing at all. `ask` does not deny.
   */
  get denies(): FindDenial | undefined {
    return this.#core.denies;
  }

  /** Subscribes a listener to all events, or to those of some types. Returns a function that unsubscribes. */
  subscribe(listener: Listener<EngineEvent>, types?: Iterable<EngineEventType>): () => void {
    return this.#core.events.subscribe(listener, types);
  }

  /**
   * Returns the events from now on, for `for await`. A slow reader misses the oldest events and never blocks the
   * engine.
   */
  events(options?: {
    types?: Iterable<EngineEventType>;
    capacity?: number;
    signal?: AbortSignal;
  }): EventStream<EngineEvent> {
    return this.#core.events.stream(options);
  }

  /** Runs every handler inside a wrapper, such as a trace. Returns a function that removes the wrapper. */
  wrapHandlers(around: HandlerWrapper): () => void {
    this.#wrappers = [...this.#wrappers, around];
    this.#core.wrapHandler = composeWrappers(this.#wrappers);
    return () => {
      this.#wrappers = this.#wrappers.filter((other) => other !== around);
      this.#core.wrapHandler = composeWrappers(this.#wrappers);
    };
  }

  /** Emits an event to the subscribers; for sources of tools. */
  emit(event: EngineEvent): void {
    this.#core.events.emit(event);
  }

  #emitTools(type: ToolEvent["type"], tools: readonly string[], source: string): void {
    const { events, clock } = this.#core;
    if (tools.length === 0 || !events.hasListener(type)) return;
    for (const tool of tools) events.emit({ type, at: clock.now(), tool, source });
  }

  /** Number of root calls that may run at the same time. */
  get maxConcurrent(): number {
    return this.#core.scheduler.settings.maxConcurrent;
  }

  /** Returns the current numbers of running and waiting calls, and the totals so far. */
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

  /** Returns a summary of the calls of a conversation. */
  callSummary(conversationId: string): Promise<ConversationSummary> {
    return this.records.summary(conversationId);
  }

  /** The short form of {@link callSummary}, for an agent's final answer. */
  async briefSummary(conversationId: string): Promise<BriefSummary> {
    return toBriefSummary(await this.records.summary(conversationId));
  }

  /** Returns statistics over all stored records, overall and per tool. */
  callStatistics(query?: Pick<RecordQuery, "since" | "until" | "tool">): Promise<Statistics> {
    return this.records.statistics(query);
  }

  /**
   * Closes the engine: refuses new calls, lets running calls finish, aborts those that do not, and flushes the records.
   */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options.drainMs ?? 5000);
    return this.#closing;
  }

  async #close(drainMs: number): Promise<void> {
    const { live, clock, limits, deadlines } = this.#core;
    const drained = async (ms: number): Promise<void> => {
      const until = clock.elapsed() + ms;
      while (live.size > 0 && clock.elapsed() < until) {
        await sleep(clock, Math.min(10, ms));
      }
    };
    await drained(drainMs);
    for (const call of live.toArray()) call.abort("cancelled");
    // An aborted handler has its grace period; after that its call ends without it.
    await drained(limits.graceMs + 1000);
    deadlines.close();
    this.#unlisten();
    await this.records.flush();
  }

  #createCore(options: EngineOptions): EngineCore {
    const clock = options.clock ?? systemClock;
    const ids = options.ids ?? createIdGenerator();
    const deadlines = new Deadlines(clock);
    const redactor = redactorOf(options);
    const log = logSink(options.onLog, redactor);
    const approver = options.approver ?? storedApprover(createInMemoryApprovals({ ids, clock }), clock);
    const { secrets = {}, missingSecrets = {} } = options;
    const permissions = compilePermissions(options.permissions);
    return {
      clock,
      wallTime: new WallTime(clock),
      reportedAt: undefined,
      ids,
      deadlines,
      approver,
      findPreapproval: options.findPreapproval,
      log,
      random: options.random ?? Math.random,
      resolver: options.resolver ?? this.tools,
      scheduler: new Scheduler(options.concurrency ?? {}, clock, deadlines),
      events: new EventBus<EngineEvent>((error, event) => {
        log({
          at: clock.now(),
          callId: "",
          tool: "",
          message: `a subscriber failed on ${event.type}: ${thrownMessage(error)}`,
        });
      }),
      records: this.records,
      cache: options.cache ?? createInMemoryResultCache({}),
      inFlightCalls: new InFlightCalls(),
      redactor,
      secrets: {
        get: (name) => (Object.hasOwn(secrets, name) ? secrets[name] : undefined),
        hint: (name) => (Object.hasOwn(missingSecrets, name) ? missingSecrets[name] : undefined),
      },
      limits: limitsOf(options),
      strict: options.strictValidation ?? false,
      live: new LinkedList<Call>(),
      permissions,
      denies: createDenials(options.permissions, permissions),
      isTrustedHost: trustedHosts(options.trustedHosts ?? []),
      locateThrow: options.locateThrow,
      wrapHandler: undefined,
      unavailable: availability(options),
      isClosed: () => this.#closing !== undefined,
    };
  }
}

function redactorOf(options: EngineOptions) {
  rememberSecrets(Object.values(options.secrets ?? {}));
  return options.redactor ?? createRedactor(Object.values(options.secrets ?? {}));
}

/**
 * Creates an engine. Without options: in-memory records, no tools, the documented limits. Throws if a rule of
 * `permissions` is invalid, or contains a misspelled word and would match no tool.
 *
 * @example
 * ```ts
 * const engine = createEngine({ tools: [add] });
 * const result = await engine.call(add, { a: 1, b: 2 });
 * ```
 *
 * @see docs/guide/engine.md
 */
export function createEngine(options: EngineOptions = {}): Engine {
  const engine = new Engine(options);
  checkRules(options.permissions ?? {}, engine.tools);
  return engine;
}

function limitsOf({ limits }: EngineOptions): CallLimits {
  const { timeoutMs } = { ...engineDefaults, ...limits };
  if (!isTimeoutMs(timeoutMs)) throw new RangeError(invalidTimeout("limits.timeoutMs", timeoutMs));
  return { ...engineDefaults, ...limits };
}

/** Returns the function that emits log lines, with secrets redacted. Errors of the receiver are ignored. */
function logSink(onLog: ((entry: LogEntry) => unknown) | undefined, redactor: Redactor): (entry: LogEntry) => void {
  if (onLog === undefined) return () => {};
  return ({ message, data, tool, ...about }) => {
    try {
      // Handlers in plain JavaScript may log any value.
      const content: unknown = message;
      const entry = { ...about, tool: redactor.label(tool), message: redactor.line(String(content)) };
      const returned = onLog(data === undefined ? entry : { ...entry, data: redactor.value(data) });
      // There is no one to report it to.
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // Nor here.
    }
  };
}

/** Returns a function like {@link Engine.isAvailable}, for parts that are created before the engine. */
export function toolAvailability(
  options: Pick<EngineOptions, "enabledTools" | "disabledTools">,
): (tool: AnyTool) => boolean {
  const unavailable = availability(options);
  return (tool) => tool.broken === undefined && unavailable(tool) === undefined;
}

/** Decides whether a tool is available, by its status and by the enabled and disabled tools of the settings. */
function availability(options: Pick<EngineOptions, "enabledTools" | "disabledTools">) {
  const enabled = new Set(options.enabledTools);
  const disabled = new Set((options.disabledTools ?? []).map(foldName));
  const someDisabled = disabled.size > 0;
  /** Returns why a tool is unavailable, or undefined if it is available. */
  return (tool: AnyTool): string | undefined => {
    if (tool.status === "disabled" || tool.status === "draft") return `${tool.name} is ${tool.status}`;
    if (tool.gated && !isNamed(tool, enabled)) return `${tool.name} is gated; name it in enabled_tools to use it`;
    if (someDisabled && isNamedInAnyCase(tool, disabled) && !tool.alwaysEnabled)
      return `${tool.name} is switched off by disabled_tools`;
    return undefined;
  };
}

function isNamed(tool: AnyTool, names: ReadonlySet<string>): boolean {
  return names.has(tool.name) || tool.aliases.some((alias) => names.has(alias));
}

function isNamedInAnyCase(tool: AnyTool, folded: ReadonlySet<string>): boolean {
  return folded.has(foldName(tool.name)) || tool.aliases.some((alias) => folded.has(foldName(alias)));
}

/**
 * Refuses rules of `deny` and `ask` with a misspelled word, because they would match no tool. Tools may be registered
 * later from any source, so a name that only resembles another produces a warning.
 */
function checkRules({ deny = [], ask = [] }: PermissionRules, registry: ToolRegistry): void {
  const rules = [...deny, ...ask];
  if (rules.length === 0) return;
  const known: RuleSubjects = {
    tools: () => new Set(registry.names()),
    sources: () => new Set([...defaultSources, ...registry.list().map(({ source }) => source)]),
  };
  for (const rule of rules) {
    const found = unmatchedRule(rule, known);
    if (found?.near === undefined) continue;
    const message = `the permission rule "${rule}" matches no tool: ${found.message}; did you mean "${found.near}"?`;
    if (found.misspelt === "word") throw new FailureError(message, { code: "file_invalid" });
    process.emitWarning(message, { type: "WindlassPermissionWarning" });
  }
}
