import { isAbsolute, resolve } from "node:path";
import { FailureError, isBelow, isFailureError } from "../base/index.ts";
import {
  type ConcurrencyOptions,
  type PermissionRules,
  concurrencySettings,
  compilePermissions,
} from "../engine/index.ts";
import type { SearchFile } from "../builtin/index.ts";
import type { SkillLimits } from "../hub/index.ts";
import type { ModelFile } from "../model/index.ts";
import { parseAllowList } from "../net/index.ts";
import { FileReport, isMap } from "../schema/index.ts";
import type { Retention } from "../store/index.ts";
import { type Problem, type YamlPath, hasErrors, parseYaml } from "../text/index.ts";
import { workspaceSchema } from "./workspace-schema.ts";

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
  };
  readonly skills: {
    readonly directory: string;
    /** Whether tools made of code or YAML are loaded from there too. */
    readonly code: boolean;
    readonly trustAllowedTools: boolean;
    readonly limits: Partial<SkillLimits>;
  };
  readonly retention: Retention;
  readonly network: { readonly allow: readonly string[] };
  /** As the file has them: each service knows its own settings. */
  readonly services: ServiceSettings;
}

/** What `windlass.yaml` says to the services behind the built-in tools. */
export interface ServiceSettings {
  readonly model?: ModelFile;
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

/** What became of a `windlass.yaml`. The config is the default where the file has errors. */
export interface ParsedWorkspace {
  readonly config: WorkspaceConfig;
  readonly problems: readonly Problem[];
}

/** The file as its schema guarantees it. */
interface WorkspaceFile {
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
  chains?: { directory?: string; durable?: boolean; max_parallel?: number };
  retention?: { days?: number; bytes?: number | string };
  network?: { allow?: string[] };
  skills?: {
    directory?: string;
    code?: boolean;
    trust_allowed_tools?: boolean;
    catalogue_chars?: number;
    instruction_chars?: number;
  };
  model?: ModelFile;
  search?: SearchFile;
  web?: NonNullable<ServiceSettings["web"]>;
  weather?: NonNullable<ServiceSettings["weather"]>;
  vault?: string | NonNullable<ServiceSettings["vault"]>;
  timezone?: string;
}

/** The settings of a folder without a `windlass.yaml`. */
export const defaultConfig: WorkspaceConfig = toConfig({});

/** Reads the text of a `windlass.yaml`. Never throws: what is wrong is in `problems`, each with its place. */
export function parseWorkspace(source: string, file: string): ParsedWorkspace {
  const yaml = parseYaml(source, { file });
  const report = new FileReport(source, file, yaml);
  const value = yaml.value ?? {};
  report.check(value, workspaceSchema, []);
  checkMeanings(value, report);
  // The schema was checked just now; an empty key is as good as none.
  const config = hasErrors(report.problems) ? defaultConfig : toConfig(withoutNulls(value) as WorkspaceFile);
  return { config, problems: report.problems };
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNulls(item)]])),
  );
}

/**
 * What a schema cannot say: rules, rates, sizes, addresses and paths have grammars of their own. What is no text at all
 * was told by the schema, and does not keep the rest from being checked.
 */
function checkMeanings(file: unknown, report: FileReport): void {
  const check = (path: YamlPath, read: (text: string) => unknown): void => {
    const text = valueAt(file, path);
    if (typeof text !== "string" || text.trim() === "") return;
    try {
      read(text);
    } catch (error) {
      if (!isFailureError(error)) throw error;
      report.add("bad_value", path, [error.message]);
    }
  };
  const checkEach = (path: YamlPath, read: (text: string, key: string) => unknown): void => {
    const group = valueAt(file, path);
    const keys = Array.isArray(group) ? group.keys() : isMap(group) ? Object.keys(group) : [];
    for (const key of keys) check([...path, key], (text) => read(text, String(key)));
  };
  for (const list of ["deny", "ask", "allow"] as const) {
    checkEach(["permissions", list], (rule) => compilePermissions({ [list]: [rule] }));
  }
  checkEach(["concurrency", "rate_limits"], (rate, name) => concurrencySettings({ rateLimits: { [name]: rate } }));
  checkEach(["network", "allow"], (entry) => parseAllowList([entry]));
  check(["retention", "bytes"], parseSize);
  check(["engine", "tools_directory"], checkFolder);
  check(["chains", "directory"], checkFolder);
  check(["skills", "directory"], checkFolder);
  check(["search", "corpus"], checkFolder);
  for (const path of webAddresses) check(path, checkWebAddress);
  check(["vault"], checkFolder);
  check(["vault", "folder"], checkFolder);
}

/** The value at a path; undefined where it leads nowhere. */
function valueAt(value: unknown, path: YamlPath): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const isGroup = isMap(value) || Array.isArray(value);
  // A list is read by its indexes as a map is by its keys.
  return isGroup && Object.hasOwn(value, key) ? valueAt((value as Record<string, unknown>)[key], rest) : undefined;
}

const webAddresses: readonly YamlPath[] = [
  ["search", "searxng_url"],
  ["search", "mediawiki_url"],
  ["weather", "forecast_url"],
  ["weather", "geocoding_url"],
];

function checkWebAddress(text: string): void {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return;
  // The text itself is not shown: it may hold a password.
  throw new FailureError(
    "this is no web address that can be asked; write it like http://127.0.0.1:8888, without a user",
    {
      code: "file_invalid",
    },
  );
}

function checkFolder(path: string): void {
  // Where the workspace lies makes no difference to whether a path leads out of it.
  if (!isAbsolute(path) && isBelow(resolve("/workspace", path), resolve("/workspace"))) return;
  throw new FailureError(`"${path}" lies outside the workspace; write the path of a folder in it`, {
    code: "file_invalid",
  });
}

function toConfig(file: WorkspaceFile): WorkspaceConfig {
  return {
    concurrency: toConcurrency(file.concurrency ?? {}),
    engine: toEngine(file.engine ?? {}),
    permissions: file.permissions ?? {},
    secrets: Object.fromEntries(
      Object.entries(file.secrets ?? {}).map(([name, source]) => [name, source === "env" ? { env: name } : source]),
    ),
    env: file.env ?? [],
    chains: toChains(file.chains ?? {}),
    skills: toSkills(file.skills ?? {}),
    retention: toRetention(file.retention ?? {}),
    network: { allow: file.network?.allow ?? [] },
    services: toServices(file),
  };
}

function toServices({ model, search, web, weather, vault, timezone }: WorkspaceFile): ServiceSettings {
  return {
    ...(model && { model }),
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

function toChains(file: NonNullable<WorkspaceFile["chains"]>): WorkspaceConfig["chains"] {
  return {
    directory: file.directory ?? "chains",
    durable: file.durable ?? true,
    maxParallel: file.max_parallel ?? 5,
  };
}

function toSkills(file: NonNullable<WorkspaceFile["skills"]>): WorkspaceConfig["skills"] {
  return {
    directory: file.directory ?? "skills",
    code: file.code ?? true,
    trustAllowedTools: file.trust_allowed_tools ?? false,
    limits: {
      ...(file.catalogue_chars !== undefined && { catalogueChars: file.catalogue_chars }),
      ...(file.instruction_chars !== undefined && { instructionChars: file.instruction_chars }),
    },
  };
}

const day = 86_400_000;

function toRetention(file: NonNullable<WorkspaceFile["retention"]>): Retention {
  const maxBytes = parseSize(file.bytes);
  return {
    ...(file.days !== undefined && { maxAgeMs: file.days * day }),
    ...(maxBytes !== undefined && { maxBytes }),
  };
}

const sizeUnits: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
};

/** Reads `500MB`, `1GB`, `64 KiB`. */
export function parseSize(size: number | string | undefined): number | undefined {
  if (size === undefined || typeof size === "number") return size;
  const match = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(size);
  const unit = sizeUnits[match?.[2]?.toUpperCase() ?? "?"];
  if (!match || unit === undefined) {
    throw new FailureError(`"${size}" is not a size; write for example 500MB, 1GB or 64KiB`, { code: "file_invalid" });
  }
  return Math.floor(Number(match[1]) * unit);
}
