import type { SearchSettingsFile } from "../builtin/index.ts";
import type { ConcurrencyOptions } from "../engine/index.ts";
import type { HubLimits } from "../hub/index.ts";
import type { ModelsSettingsFile } from "../model/index.ts";
import type { Retention } from "../store/index.ts";
import { type AgentFile, toAgentConfig } from "./agent-settings.ts";
import { type ChainsFile, toChainsConfig } from "./chain-settings.ts";
import { type HubKey, hubSettings } from "./hub-settings.ts";
import { parseSize } from "./parse-size.ts";
import type { EditableKind, SecretSource, ServiceSettings, WorkspaceConfig } from "./workspace-config.ts";

/** The file as its schema guarantees it. */
export interface WorkspaceFile {
  concurrency?: {
    max_concurrent?: number;
    queue_size?: number;
    default_timeout?: number;
    strategy?: "fifo" | "priority" | "reject";
    bucket_limits?: Record<string, number>;
    rate_limits?: Record<string, string>;
  };
  engine?: {
    tools_directory?: string;
    auto_reload?: boolean;
    reload_interval?: number;
    watch_for_changes?: boolean;
    strict_validation?: boolean;
    timeout?: number;
    max_retries?: number;
    enabled_tools?: string[];
    disabled_tools?: string[];
  };
  permissions?: { deny?: string[]; ask?: string[]; allow?: string[] };
  secrets?: Record<string, "env" | SecretSource>;
  env?: string[];
  chains?: ChainsFile;
  retention?: { days?: number; bytes?: number | string };
  network?: { allow?: string[]; trusted_hosts?: string[] };
  telemetry?: { enabled?: boolean; capture_content?: boolean };
  skills?: {
    directory?: string;
    code?: boolean;
    trust_allowed_tools?: boolean;
    catalogue_chars?: number;
    instruction_chars?: number;
  };
  approvals?: { interrupted_days?: number };
  mcp?: { approvals?: WorkspaceConfig["mcp"]["approvals"]; serve?: string[] };
  capabilities?: {
    directory?: string;
    keywords?: Record<string, string[]>;
    declare?: Record<string, string[]>;
  };
  files?: { editable?: EditableKind[]; hard_links?: boolean };
  hub?: Partial<Record<HubKey, number>>;
  agent?: AgentFile;
  models?: ModelsSettingsFile;
  search?: SearchSettingsFile;
  web?: NonNullable<ServiceSettings["web"]>;
  weather?: NonNullable<ServiceSettings["weather"]>;
  vault?: string | NonNullable<ServiceSettings["vault"]>;
  timezone?: string;
}

const empty = {
  concurrency: {},
  engine: {},
  permissions: {},
  secrets: {},
  env: [],
  skills: {},
  capabilities: {},
  hub: {},
  retention: {},
  network: {},
} satisfies WorkspaceFile;

/** Converts the settings of a file. */
export function toConfig(file: WorkspaceFile): WorkspaceConfig {
  const all = { ...empty, ...file };
  return {
    concurrency: toConcurrency(all.concurrency),
    engine: toEngine(all.engine),
    permissions: all.permissions,
    secrets: toSecrets(all.secrets),
    env: all.env,
    chains: toChainsConfig(file.chains),
    skills: toSkills(all.skills),
    approvals: toApprovals(file.approvals),
    mcp: {
      approvals: file.mcp?.approvals ?? "client",
      ...(file.mcp?.serve !== undefined && { serve: file.mcp.serve }),
    },
    capabilities: toCapabilities(all.capabilities),
    files: { editable: file.files?.editable ?? [], hardLinks: file.files?.hard_links ?? false },
    hub: toHub(all.hub),
    retention: toRetention(all.retention),
    network: toNetwork(file.network),
    telemetry: toTelemetry(file.telemetry),
    agent: toAgentConfig(file.agent),
    services: toServices(file),
  };
}

function toNetwork(file: WorkspaceFile["network"]): WorkspaceConfig["network"] {
  return { allow: file?.allow ?? [], trustedHosts: file?.trusted_hosts ?? [] };
}

function toTelemetry(file: WorkspaceFile["telemetry"]): WorkspaceConfig["telemetry"] {
  return { enabled: file?.enabled ?? false, captureContent: file?.capture_content ?? false };
}

function toSecrets(file: NonNullable<WorkspaceFile["secrets"]>): WorkspaceConfig["secrets"] {
  return Object.fromEntries(
    Object.entries(file).map(([name, source]) => [name, source === "env" ? { env: name } : source]),
  );
}

function toServices({ models, search, web, weather, vault, timezone }: WorkspaceFile): ServiceSettings {
  return {
    ...(models && { models }),
    ...(search && { search }),
    ...(web && { web }),
    ...(weather && { weather }),
    ...(vault !== undefined && { vault: typeof vault === "string" ? { folder: vault } : vault }),
    ...(timezone !== undefined && { timezone }),
  };
}

function toConcurrency(file: NonNullable<WorkspaceFile["concurrency"]>): ConcurrencyOptions {
  return {
    ...(file.max_concurrent !== undefined && { maxConcurrent: file.max_concurrent }),
    ...(file.queue_size !== undefined && { queueSize: file.queue_size }),
    ...(file.default_timeout !== undefined && { queueTimeoutMs: file.default_timeout * 1000 }),
    ...(file.strategy !== undefined && { strategy: file.strategy }),
    ...(file.bucket_limits !== undefined && { bucketLimits: file.bucket_limits }),
    ...(file.rate_limits !== undefined && { rateLimits: file.rate_limits }),
  };
}

function toEngine(file: NonNullable<WorkspaceFile["engine"]>): WorkspaceConfig["engine"] {
  return {
    toolsDirectory: file.tools_directory ?? "tools",
    autoReload: file.auto_reload ?? true,
    reloadIntervalMs: (file.reload_interval ?? 5) * 1000,
    watchForChanges: file.watch_for_changes ?? false,
    strictValidation: file.strict_validation ?? false,
    timeoutMs: (file.timeout ?? 30) * 1000,
    maxRetries: file.max_retries ?? 3,
    enabledTools: file.enabled_tools ?? [],
    disabledTools: file.disabled_tools ?? [],
  };
}

function toSkills(file: NonNullable<WorkspaceFile["skills"]>): WorkspaceConfig["skills"] {
  return {
    directory: file.directory ?? "skills",
    ...(file.code !== undefined && { code: file.code }),
    trustAllowedTools: file.trust_allowed_tools ?? false,
    limits: {
      ...(file.catalogue_chars !== undefined && { catalogueChars: file.catalogue_chars }),
      ...(file.instruction_chars !== undefined && { instructionChars: file.instruction_chars }),
    },
  };
}

function toApprovals(file: WorkspaceFile["approvals"]): WorkspaceConfig["approvals"] {
  return file?.interrupted_days === undefined ? {} : { interruptedMs: file.interrupted_days * day };
}

function toCapabilities(file: NonNullable<WorkspaceFile["capabilities"]>): WorkspaceConfig["capabilities"] {
  return {
    directory: file.directory ?? "capabilities",
    keywords: file.keywords ?? {},
    declared: file.declare ?? {},
  };
}

function toHub(file: NonNullable<WorkspaceFile["hub"]>): Partial<HubLimits> {
  return Object.fromEntries(
    Object.entries(hubSettings).flatMap(([key, { limit, inSeconds }]) => {
      // The keys are the same.
      const stated = file[key as HubKey];
      return stated === undefined ? [] : [[limit, inSeconds ? stated * 1000 : stated]];
    }),
  );
}

const day = 86_400_000;

function toRetention(file: NonNullable<WorkspaceFile["retention"]>): Retention {
  const maxBytes = parseSize(file.bytes);
  return {
    ...(file.days !== undefined && { maxAgeMs: file.days * day }),
    ...(maxBytes !== undefined && { maxBytes }),
  };
}
