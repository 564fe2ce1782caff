import type { Clock, Deadlines, EventBus, IdGenerator, LinkedList, WallTime } from "../base/index.ts";
import type { RecordStore, ResultCache } from "../store/index.ts";
import type { Redactor } from "../secrets/index.ts";
import type { Problem } from "../text/index.ts";
import type { AnyTool, Registration, Secrets } from "../tool/index.ts";
import type { Approver } from "./approver.ts";
import type { Call } from "./call.ts";
import type { CallContext } from "./call-context.ts";
import type { FindDenial } from "./denials.ts";
import type { EngineEvent } from "./events.ts";
import type { LocateThrow } from "./handler-failure.ts";
import type { InFlightCalls } from "./in-flight-calls.ts";
import type { PermissionSubject, Permissions } from "./permissions.ts";
import type { Scheduler } from "./scheduler.ts";
import type { HandlerWrapper } from "./handler-wrapper.ts";

/** Finds the tool behind a name, synchronously. Implemented by the registry; the hub wraps it. */
export interface Resolver {
  resolve(name: string): Registration | undefined;
  /** Every name and alias, for suggestions. */
  names(): Iterable<string>;
  /** Returns the registration of a tool that is called by reference while its name leads to another tool. */
  registrationOf?(tool: AnyTool): Registration | undefined;
  /** Explains why a tool is missing, if known; appended to "there is no such tool". */
  readonly whyMissing?: ((name: string) => string | undefined) | undefined;
  /** The first error of the file that defines this tool; undefined if no file with errors does. */
  readonly fileError?: ((name: string) => Problem | undefined) | undefined;
  /** Changes whenever a name may resolve differently, to invalidate values derived from it. */
  readonly version?: number;
}

/** One log line of a handler, with secrets redacted. */
export interface LogEntry {
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  readonly message: string;
  readonly data?: unknown;
}

/** Returns who has preapproved such a call, as text for its record. Undefined if it is not preapproved. */
export type PreapprovalCheck = (subject: PermissionSubject, context: CallContext) => string | undefined;

/** Limits that hold for every call. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  readonly maxDepth: number;
  readonly approvalMs: number;
}

/** State shared by all calls of one engine. */
export interface EngineCore {
  readonly clock: Clock;
  readonly wallTime: WallTime;
  readonly ids: IdGenerator;
  readonly random: () => number;
  readonly deadlines: Deadlines;
  readonly resolver: Resolver;
  readonly scheduler: Scheduler;
  readonly events: EventBus<EngineEvent>;
  readonly records: RecordStore;
  readonly cache: ResultCache;
  readonly inFlightCalls: InFlightCalls;
  readonly approver: Approver;
  readonly findPreapproval: PreapprovalCheck | undefined;
  readonly redactor: Redactor;
  readonly secrets: Secrets;
  readonly limits: CallLimits;
  readonly strict: boolean;
  readonly live: LinkedList<Call>;
  readonly log: (entry: LogEntry) => void;
  readonly permissions: Permissions;
  readonly denies: FindDenial | undefined;
  /** True if untrusted content may decide what is requested from the host of this URL. */
  readonly isTrustedHost: (url: string) => boolean;
  readonly locateThrow: LocateThrow | undefined;
  /** The clock's elapsed time while a call reports its end to an immediate listener. */
  reportedAt: number | undefined;
  /** Wrapper around every handler; undefined for most engines. */
  wrapHandler: HandlerWrapper | undefined;
  /** Returns why this tool is unavailable, or undefined if it is available. */
  unavailable(tool: AnyTool): string | undefined;
  isClosed(): boolean;
}
