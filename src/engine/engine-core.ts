import type { Clock, Deadlines, EventBus, Ids, LinkedList, WallTime } from "../base/index.ts";
import type { RecordStore, ResultCache } from "../store/index.ts";
import type { Redactor } from "../text/index.ts";
import type { AnyTool, Registration, Secrets } from "../tool/index.ts";
import type { Approver } from "./approver.ts";
import type { Call } from "./call.ts";
import type { CallContext } from "./call-context.ts";
import type { Denies } from "./denials.ts";
import type { EngineEvent } from "./events.ts";
import type { PlaceOf } from "./failed-attempt.ts";
import type { Flights } from "./flights.ts";
import type { PermissionSubject, Permissions } from "./permissions.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Surround } from "./surround.ts";

/** Finds the tool behind a name, at once. The registry is one; the hub wraps it. */
export interface Resolver {
  resolve(name: string): Registration | undefined;
  /** Every name and alias, for suggestions. */
  names(): Iterable<string>;
  /** Where a tool that is called by reference came from, where its name leads to another. */
  registrationOf?(tool: AnyTool): Registration | undefined;
  /** Where a tool may be that there is not, if anything is known of it; goes behind "there is no such tool". */
  readonly whyMissing?: ((name: string) => string | undefined) | undefined;
  /** Changes whenever a name may lead somewhere else, so that what was made of it is made anew. */
  readonly version?: number;
}

/** One line of a handler's log, secrets redacted. */
export interface LogEntry {
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  readonly message: string;
  readonly data?: unknown;
}

/** Who has approved such a call beforehand, in words for its record; undefined where nobody has. */
export type Preapproved = (subject: PermissionSubject, context: CallContext) => string | undefined;

/** Limits that hold for every call. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  readonly maxDepth: number;
  readonly approvalMs: number;
}

/** What the calls of one engine share. */
export interface Core {
  readonly clock: Clock;
  readonly wallTime: WallTime;
  readonly ids: Ids;
  readonly random: () => number;
  readonly deadlines: Deadlines;
  readonly resolver: Resolver;
  readonly scheduler: Scheduler;
  readonly events: EventBus<EngineEvent>;
  readonly records: RecordStore;
  readonly cache: ResultCache;
  readonly flights: Flights;
  readonly approver: Approver;
  readonly preapproved: Preapproved | undefined;
  readonly redactor: Redactor;
  readonly secrets: Secrets;
  readonly limits: CallLimits;
  readonly strict: boolean;
  readonly live: LinkedList<Call>;
  readonly log: (entry: LogEntry) => void;
  readonly permissions: Permissions;
  readonly denies: Denies | undefined;
  readonly placeOf: PlaceOf | undefined;
  /** What handlers run inside of; undefined for most engines. */
  surround: Surround | undefined;
  /** Why this tool is not on offer, if it is not. */
  unavailable(tool: AnyTool): string | undefined;
  isClosed(): boolean;
}
