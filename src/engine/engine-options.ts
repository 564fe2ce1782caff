import type { Clock, IdGenerator } from "../base/index.ts";
import type { RecordStore, ResultCache } from "../store/index.ts";
import type { Redactor } from "../secrets/index.ts";
import type { AnyTool, ToolRegistry } from "../tool/index.ts";
import type { Approver } from "./approver.ts";
import type { ConcurrencyOptions } from "./concurrency.ts";
import type { CallLimits, LogEntry, PreapprovalCheck, Resolver } from "./engine-core.ts";
import type { LocateThrow } from "./handler-failure.ts";
import type { PermissionRules } from "./permissions.ts";

/** Options of an engine. All are optional. */
export interface EngineOptions {
  readonly tools?: Iterable<AnyTool>;
  /** A registry shared with other engines. Default: a new one. */
  readonly registry?: ToolRegistry;
  /** Finds tools by name. Default: the registry. */
  readonly resolver?: Resolver;
  readonly concurrency?: ConcurrencyOptions;
  readonly permissions?: PermissionRules;
  /** Decides calls for which a rule says `ask`. Default: such a call fails with `approval_required`. */
  readonly approver?: Approver;
  /** Returns who has preapproved a call. Consulted only if a rule says `ask`, before approval is requested. */
  readonly findPreapproval?: PreapprovalCheck;
  /**
   * Hosts to which a call may send a URL decided by untrusted content without approval: `api.example.com`,
   * `*.example.com`, with or without a port. Default: none.
   */
  readonly trustedHosts?: readonly string[];
  /** Refuse undeclared parameters; otherwise they are removed, and `meta.ignored` of the result names them. */
  readonly strictValidation?: boolean;
  /** Gated tools that are enabled. */
  readonly enabledTools?: readonly string[];
  /** Tools that are disabled, except those that are always enabled. */
  readonly disabledTools?: readonly string[];
  readonly records?: RecordStore;
  readonly cache?: ResultCache;
  /** Secrets by name. Handlers read them with `ctx.secrets`; their values are redacted in all output of the engine. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** For secrets that are named and have no value: name to setup hint. */
  readonly missingSecrets?: Readonly<Record<string, string>>;
  readonly redactor?: Redactor;
  readonly limits?: Partial<CallLimits>;
  /** Returns the location where a handler threw, for people; it is not shown to models. */
  readonly locateThrow?: LocateThrow;
  readonly onLog?: (entry: LogEntry) => unknown;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  readonly random?: () => number;
}

/** Settings of `engine:` in `windlass.yaml` about calls. */
export const callTable = {
  strictValidation: {
    type: "flag",
    default: false,
    about: "Reject undeclared parameters of tools instead of removing them.",
  },
  timeoutMs: { type: "timeout", default: 30, about: "Timeout of tools that do not set their own." },
  maxRetries: { type: "whole", default: 3, about: "Maximum retries after a failure that is safe to retry." },
  enabledTools: { type: "list", default: [], about: "Gated tools to enable." },
  disabledTools: { type: "list", default: [], about: "Tools to disable." },
} as const;

/** The documented default limits of a call. */
export const engineDefaults: CallLimits = {
  timeoutMs: callTable.timeoutMs.default * 1000,
  maxRetries: callTable.maxRetries.default,
  graceMs: 500,
  maxOutputBytes: 8 << 20,
  maxDepth: 16,
  approvalMs: 24 * 3_600_000,
};
