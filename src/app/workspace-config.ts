import { FailureError, isFailureError } from "../base/index.ts";
import {
  type ConcurrencyOptions,
  type PermissionRules,
  concurrencySettings,
  compilePermissions,
} from "../engine/index.ts";
import { parseAllowList } from "../net/index.ts";
import { FileReport } from "../schema/index.ts";
import type { Retention } from "../store/index.ts";
import { type Problem, hasErrors, parseYaml } from "../text/index.ts";
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
  readonly retention: Retention;
  readonly network: { readonly allow: readonly string[] };
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
  retention?: { days?: number; bytes?: number | string };
  network?: { allow?: string[] };
}

/** The settings of a folder without a `windlass.yaml`. */
export const defaultConfig: WorkspaceConfig = toConfig({});

/** Reads the text of a `windlass.yaml`. Never throws: what is wrong is in `problems`, each with its place. */
export function parseWorkspace(source: string, file: string): ParsedWorkspace {
  const yaml = parseYaml(source, { file });
  const report = new FileReport(source, file, yaml);
  const value = yaml.value ?? {};
  if (report.check(value, workspaceSchema, [])) {
    // The schema was checked just now; an empty key is as good as none.
    checkMeanings(withoutNulls(value) as WorkspaceFile, report);
  }
  const config = hasErrors(report.problems) ? defaultConfig : toConfig(withoutNulls(value) as WorkspaceFile);
  return { config, problems: report.problems };
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNulls(item)]])),
  );
}

/** What a schema cannot say: rules, rates, sizes and addresses have grammars of their own. */
function checkMeanings(file: WorkspaceFile, report: FileReport): void {
  const check = (path: readonly (string | number)[], read: () => unknown): void => {
    try {
      read();
    } catch (error) {
      if (!isFailureError(error)) throw error;
      report.add("bad_value", path, [error.message]);
    }
  };
  for (const list of ["deny", "ask", "allow"] as const) {
    for (const [index, rule] of (file.permissions?.[list] ?? []).entries()) {
      check(["permissions", list, index], () => compilePermissions({ [list]: [rule] }));
    }
  }
  for (const [name, rate] of Object.entries(file.concurrency?.rate_limits ?? {})) {
    check(["concurrency", "rate_limits", name], () => concurrencySettings({ rateLimits: { [name]: rate } }));
  }
  for (const [index, entry] of (file.network?.allow ?? []).entries()) {
    check(["network", "allow", index], () => parseAllowList([entry]));
  }
  check(["retention", "bytes"], () => parseSize(file.retention?.bytes));
}

function toConfig(file: WorkspaceFile): WorkspaceConfig {
  return {
    concurrency: toConcurrency(file.concurrency ?? {}),
    engine: toEngine(file.engine ?? {}),
    permissions: file.permissions ?? {},
    secrets: Object.fromEntries(
      Object.entries(file.secrets ?? {}).map(([name, source]) => [name, source === "env" ? { env: name } : source]),
    ),
    retention: toRetention(file.retention ?? {}),
    network: { allow: file.network?.allow ?? [] },
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
