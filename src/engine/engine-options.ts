import type { Clock, Ids } from "../base/index.ts";
import type { RecordStore, ResultCache } from "../store/index.ts";
import type { Redactor } from "../text/index.ts";
import type { AnyTool, ToolRegistry } from "../tool/index.ts";
import type { Approver } from "./approver.ts";
import type { ConcurrencyOptions } from "./concurrency.ts";
import type { CallLimits, LogEntry, Preapproved, Resolver } from "./core.ts";
import type { PlaceOf } from "./failed-attempt.ts";
import type { PermissionRules } from "./permissions.ts";

/** What an engine is made of. Everything is optional. */
export interface EngineOptions {
  readonly tools?: Iterable<AnyTool>;
  /** A registry shared with someone else; a new one where absent. */
  readonly registry?: ToolRegistry;
  /** Finds tools by name; the registry where absent. */
  readonly resolver?: Resolver;
  readonly concurrency?: ConcurrencyOptions;
  readonly permissions?: PermissionRules;
  /** Who is asked when a rule says `ask`; where absent, the call answers `approval_required`. */
  readonly approver?: Approver;
  /** Who has approved a call beforehand; consulted where a rule says `ask`, before anybody is asked, and only there. */
  readonly preapproved?: Preapproved;
  /** Refuse parameters that the tool does not know; otherwise they are ignored. */
  readonly strictValidation?: boolean;
  /** Gated tools that may be used. */
  readonly enabledTools?: readonly string[];
  /** Tools that may not be used, except those that are always enabled. */
  readonly disabledTools?: readonly string[];
  readonly records?: RecordStore;
  readonly cache?: ResultCache;
  /** Name to value; handlers read them with `ctx.secrets`, and their values are redacted wherever something leaves. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** For secrets that are named and have no value: name to what to do about it. */
  readonly missingSecrets?: Readonly<Record<string, string>>;
  readonly redactor?: Redactor;
  readonly limits?: Partial<CallLimits>;
  /** Finds where a handler threw, for people; models are not told. */
  readonly placeOf?: PlaceOf;
  readonly onLog?: (entry: LogEntry) => unknown;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly random?: () => number;
}

/** The documented limits of a call. */
export const engineDefaults: CallLimits = {
  timeoutMs: 30_000,
  maxRetries: 3,
  graceMs: 500,
  maxOutputBytes: 8 << 20,
  maxDepth: 16,
  approvalMs: 24 * 3_600_000,
};
