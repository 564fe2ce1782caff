import type { ReloadMode } from "../hub/index.ts";
import type { StreamingHttpClient } from "../net/index.ts";
import type { GrowingRedactor } from "../secrets/index.ts";
import type { WorkspaceTrust } from "./open-trust.ts";
import type { ReadSecrets } from "./read-secrets.ts";
import type { Settings } from "./read-settings.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";
import type { WorkspaceOptions } from "./workspace.ts";

/** State of a workspace before anything is loaded. */
export interface Opening {
  readonly dir: string;
  readonly settings: Settings;
  readonly config: WorkspaceConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trust: WorkspaceTrust;
  /** Secrets that services and servers may use. */
  readonly secrets: ReadSecrets;
  /** Secrets that tools and chains may use. */
  readonly callSecrets: ReadSecrets;
  readonly redactor: GrowingRedactor;
  readonly http: StreamingHttpClient;
  readonly mode: ReloadMode;
  /** True if data is stored in files. */
  readonly stores: boolean;
  /** True if it stays open and watches for changes. */
  readonly stays: boolean;
  readonly options: WorkspaceOptions;
}

/** Returns when tools and chains are reloaded; with `watch` at once, regardless of the settings. */
export function reloadMode(config: WorkspaceConfig, reload: boolean | "watch"): ReloadMode {
  const { autoReload, watchForChanges, reloadIntervalMs: intervalMs } = config.engine;
  if (reload === "watch") return { autoReload: true, watch: true, intervalMs };
  return { autoReload: reload && autoReload, watch: reload && watchForChanges, intervalMs };
}
