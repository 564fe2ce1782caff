import type { DurableCalls } from "../run/index.ts";
import type { SqliteStore, Tracing } from "../adapters/index.ts";
import type { Agent, AgentRuns } from "../agent/index.ts";
import { type Clock, FailureError, brandPublic } from "../base/index.ts";
import type { ChainLibrary, ChainRuns, Plan } from "../chain/index.ts";
import type { ApprovalService, Engine, EngineEvent, LogEntry, RequestApproval } from "../engine/index.ts";
import type { Hub, ResultStore } from "../hub/index.ts";
import type { WorkspaceModels } from "../model/index.ts";
import type { ApprovalRequest, AuditLog, ChangeFeed, IdempotencyKeyStore } from "../store/index.ts";
import type { Problem } from "../text/index.ts";
import type { Triggers } from "../trigger/index.ts";
import type { Outbox } from "./outbox.ts";
import type { ApiTokens } from "./api-tokens.ts";
import type { ChainFolder } from "./chain-folder.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { LoadChainOptions } from "./load-chain.ts";
import type { WorkspaceAgentOptions } from "./open-agents.ts";
import type { Sources } from "./open-sources.ts";
import type { TrustOptions } from "./open-trust.ts";
import type { ReadSecrets } from "./read-secrets.ts";
import type { TrustItem } from "./trust-item.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** Options for opening a workspace. */
export interface WorkspaceOptions extends TrustOptions {
  /**
   * Storage of records, runs and approvals: `.windlass/journal.db`, or memory only. `read-only` reads the database, for
   * inspecting runs: everything that would write to it fails.
   */
  readonly store?: "sqlite" | "memory" | "read-only";
  /**
   * Reload changed tools, chains and notes while it is open, as configured in `windlass.yaml`; `watch`: at once,
   * regardless of the settings. Default: true.
   */
  readonly reload?: boolean | "watch";
  /** Requests the approval of calls from a person in this process. Default: they stay pending for `windlass approve`. */
  readonly requestApproval?: RequestApproval<ApprovalRequest>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The time of its triggers. Default: the real time. */
  readonly clock?: Clock;
  readonly onLog?: (entry: LogEntry) => void;
  /**
   * Receives all events of the engine, from the first on: also those of tools and files that are loaded while the
   * workspace opens, which a later `engine.subscribe` misses.
   */
  readonly onEvent?: (event: EngineEvent) => unknown;
  /** Called when the database fails and no caller is waiting, such as for records. Default: a process warning. */
  readonly onStoreError?: (failure: FailureError) => void;
  /** Called with the name of a tool file that is still loading after 2 s. */
  readonly onSlowLoad?: (file: string) => void;
}

/** A folder of tools and settings, ready to make calls. */
export interface Workspace {
  readonly dir: string;
  /** True if the folder has a `windlass.yaml`. */
  readonly configured: boolean;
  readonly config: WorkspaceConfig;
  readonly engine: Engine;
  /** Lists and decides the approvals of its calls and runs. */
  readonly approvals: ApprovalService;
  /** Sends the ends of runs and waiting approvals to their configured receivers. */
  readonly outbox: Outbox;
  /** The committed changes of its runs and approvals, in order, by all processes. Secrets are redacted. */
  readonly changes: ChangeFeed;
  /** Lists, fires, pauses and approves its triggers; `serve` lets them fire. */
  readonly triggers: Triggers;
  /** Creates and revokes the tokens of its HTTP API. */
  readonly tokens: ApiTokens;
  /** The audit log: decisions, saved chains, tokens and sessions. */
  readonly audit: AuditLog;
  /** Requests to its server that have an idempotency key. */
  readonly idempotencyKeys: IdempotencyKeyStore;
  /** The database; undefined with the `memory` store. */
  readonly store: SqliteStore | undefined;
  /** Sources of its tools: its folders of tools and of skills. */
  readonly sources: Sources;
  /** Finds tools by name and by capability, and chooses among several. */
  readonly hub: Hub;
  /** Large results, for `viewResult` and `read_result`. */
  readonly resultStore: ResultStore;
  /** The chains of the folder and the built-in ones. Those that can run are tools too, of the source `chains`. */
  readonly chains: ChainLibrary;
  readonly chainFolder: ChainFolder;
  /** Runs of chains: in the database, or in memory with the `memory` store. */
  readonly runs: ChainRuns;
  /** Durable calls of single tools, stored beside the runs of chains. */
  readonly calls: DurableCalls;
  /** The models of the settings, by their names. */
  readonly models: WorkspaceModels;
  /** Runs of agents, stored beside those of chains. Loaded on first use. */
  agents(): Promise<AgentRuns>;
  /** Creates an agent with the tools and models of the workspace. Default options: `agent:` in `windlass.yaml`. */
  agent(options?: WorkspaceAgentOptions): Promise<Agent>;
  /** Creates spans for its calls and runs; undefined if the settings do not enable it. */
  readonly tracing: Tracing | undefined;
  /** Values of the environment variables that chains may read, for `runChain`; `runs` knows them. */
  readonly env: Readonly<Record<string, string>>;
  /** Secrets that `windlass.yaml` names and that have no value. */
  readonly missingSecrets: ReadSecrets["missing"];
  /** Parts of the workspace that are not used, because the user does not trust them; empty without `trust`. */
  readonly untrusted: readonly TrustItem[];
  /**
   * The plan of a chain, by its name or by the path of a file. Throws with everything that is wrong with it, or with
   * what could have been meant.
   */
  loadChain(nameOrFile: string, options?: LoadChainOptions): Promise<Plan>;
  /** Problems in files of the workspace that did not prevent opening it. */
  problems(): readonly Problem[];
  /** Finishes running work, then releases files, timers and connections. */
  close(): Promise<void>;
}

/** A workspace whose `windlass.yaml` cannot be used. */
export class WorkspaceError extends FailureError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const first = problems.find(({ severity }) => severity === "error");
    const where = first === undefined ? workspaceFile : `${first.file}:${first.line}:${first.column}`;
    const hint = first?.hint === undefined ? "" : `; ${first.hint}`;
    super(`${where}: ${first?.message ?? "cannot be used"}${hint}`, { code: "file_invalid" });
    this.name = "WorkspaceError";
    this.problems = problems;
  }
}

/** True for a {@link WorkspaceError}, of this or another copy of Windlass. */
export const isWorkspaceError: (value: unknown) => value is WorkspaceError = brandPublic(
  WorkspaceError,
  "workspace_error",
);
