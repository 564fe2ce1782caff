import type { SearchFile } from "../builtin/index.ts";
import type { Taint } from "../chain/index.ts";
import type { ConcurrencyOptions, PermissionRules } from "../engine/index.ts";
import type { HubLimits, SkillLimits } from "../hub/index.ts";
import type { ModelsFile } from "../model/index.ts";
import type { Retention } from "../store/index.ts";
import type { AgentConfig } from "./agent-settings.ts";

/** Where the value of a secret is. */
export type SecretSource = { readonly env: string } | { readonly file: string };

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
  readonly chains: {
    readonly directory: string;
    /** Whether runs are kept, where the chain does not say. */
    readonly durable: boolean;
    readonly maxParallel: number;
    /** No chain is looser than this. */
    readonly taint: Taint;
    /** Tools whose results are relied on. */
    readonly trusted: readonly string[];
  };
  readonly skills: {
    readonly directory: string;
    /** Whether tools made of code or YAML are loaded from there too; where absent they are not, which is told. */
    readonly code?: boolean;
    readonly trustAllowedTools: boolean;
    readonly limits: Partial<SkillLimits>;
  };
  readonly mcp: {
    /** Who approves the calls of MCP clients that a rule asks about. */
    readonly approvals: "client" | "operator";
  };
  readonly capabilities: {
    /** Where contracts are read from. */
    readonly directory: string;
    readonly keywords: Readonly<Record<string, readonly string[]>>;
    /** By `mcp:server`, `mcp:server/tool` or the name of a tool. */
    readonly declared: Readonly<Record<string, readonly string[]>>;
  };
  readonly hub: Partial<HubLimits>;
  readonly retention: Retention;
  readonly network: { readonly allow: readonly string[] };
  readonly telemetry: {
    /** Spans are made, where an SDK of OpenTelemetry is registered. */
    readonly enabled: boolean;
    /** Prompts, answers, arguments and outputs go into them, redacted. */
    readonly captureContent: boolean;
  };
  readonly agent: AgentConfig;
  /** As the file has them: each service knows its own settings. */
  readonly services: ServiceSettings;
}

/** What `windlass.yaml` says to the services behind the built-in tools. */
export interface ServiceSettings {
  readonly models?: ModelsFile;
  readonly search?: SearchFile;
  readonly web?: { readonly robots?: "respect" | "ignore"; readonly max_urls?: number };
  readonly weather?: {
    readonly forecast_url?: string;
    readonly geocoding_url?: string;
    /** The name of a secret, never its value. */
    readonly api_key?: string;
    readonly place?: string;
  };
  readonly vault?: { readonly folder?: string; readonly watch?: boolean };
  readonly timezone?: string;
}
