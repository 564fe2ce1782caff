import type { SearchSettingsFile } from "../builtin/index.ts";
import type { ConcurrencyOptions, PermissionRules } from "../engine/index.ts";
import type { HubLimits, SkillLimits } from "../hub/index.ts";
import type { ModelsSettingsFile } from "../model/index.ts";
import type { Retention } from "../store/index.ts";
import type { AgentConfig } from "./agent-settings.ts";
import type { ChainsConfig } from "./chain-settings.ts";

/** Source of a secret's value. */
export type SecretSource = { readonly env: string } | { readonly file: string };

/** A kind of control files that file tools may be allowed to write. */
export type EditableKind = "tools" | "chains" | "skills" | "prompts";

/** `windlass.yaml`, read, checked and complete. */
export interface WorkspaceConfig {
  readonly concurrency: ConcurrencyOptions;
  readonly engine: {
    readonly toolsDirectory: string;
    readonly autoReload: boolean;
    readonly reloadIntervalMs: number;
    readonly watchForChanges: boolean;
    readonly strictValidation: boolean;
    readonly timeoutMs: number;
    readonly maxRetries: number;
    readonly enabledTools: readonly string[];
    readonly disabledTools: readonly string[];
  };
  readonly permissions: PermissionRules;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** Names of environment variables that chains may read. */
  readonly env: readonly string[];
  readonly chains: ChainsConfig;
  readonly skills: {
    readonly directory: string;
    /** True if code and YAML tools are also loaded from there. Default: not loaded, with a warning. */
    readonly code?: boolean;
    readonly trustAllowedTools: boolean;
    readonly limits: Partial<SkillLimits>;
  };
  readonly approvals: {
    /** Lifetime of approvals for calls that were running when their process ended. Default: they do not expire. */
    readonly interruptedMs?: number;
  };
  readonly mcp: {
    /** Approver of calls by MCP clients that need approval. */
    readonly approvals: "client" | "operator";
    /** Names of the tools that clients are offered, with `*`. Default: the workspace's own. */
    readonly serve?: readonly string[];
  };
  readonly capabilities: {
    /** Folder that contracts are loaded from. */
    readonly directory: string;
    readonly keywords: Readonly<Record<string, readonly string[]>>;
    /** By `mcp:server`, `mcp:server/tool` or the name of a tool. */
    readonly declared: Readonly<Record<string, readonly string[]>>;
  };
  readonly files: {
    /** Control files that file tools may write. */
    readonly editable: readonly EditableKind[];
    /** True if files with several names can be read. */
    readonly hardLinks: boolean;
  };
  readonly hub: Partial<HubLimits>;
  readonly retention: Retention;
  readonly network: {
    readonly allow: readonly string[];
    /** Hosts from which a call may request a URL decided by untrusted content. */
    readonly trustedHosts: readonly string[];
  };
  readonly telemetry: {
    /** True if spans are created when an OpenTelemetry SDK is registered. */
    readonly enabled: boolean;
    /** Prompts, answers, arguments and outputs go into them, redacted. */
    readonly captureContent: boolean;
  };
  readonly agent: AgentConfig;
  /** As the file has them: each service knows its own settings. */
  readonly services: ServiceSettings;
}

/** Settings of the services behind the built-in tools. */
export interface ServiceSettings {
  readonly models?: ModelsSettingsFile;
  readonly search?: SearchSettingsFile;
  readonly web?: { readonly robots?: "respect" | "ignore"; readonly max_urls?: number };
  readonly weather?: {
    readonly forecast_url?: string;
    readonly geocoding_url?: string;
    /** The name of a secret, never its value. */
    readonly api_key?: string;
    readonly default_place?: string;
  };
  readonly vault?: { readonly folder?: string; readonly watch?: boolean };
  readonly timezone?: string;
}
