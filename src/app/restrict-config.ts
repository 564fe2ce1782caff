import { nameGlob } from "../base/index.ts";
import { builtinToolNames } from "../builtin/index.ts";
import { type PermissionRules, defaultPermissions } from "../engine/index.ts";
import { secretName } from "../model/index.ts";
import { folderOutside } from "./folder-outside.ts";
import {
  type TrustItem,
  createTrustItem,
  modelTrustItems,
  networkItem,
  secretItem,
  serviceSecrets,
} from "./trust-item.ts";
import { type WorkspaceConfig, sectionSettings } from "./workspace-config.ts";

/** True if the user trusts the item. */
export type IsTrusted = (item: TrustItem) => boolean;

/** The settings without the parts that the user does not trust: those have their defaults. */
export function restrictConfig(config: WorkspaceConfig, isTrusted: IsTrusted, dir: string): WorkspaceConfig {
  const narrowed = wideSettings(config, dir)
    .filter(({ item }) => !isTrusted(item))
    .reduce((current, { narrow }) => narrow(current), config);
  return {
    ...narrowed,
    network: { ...narrowed.network, allow: narrowed.network.allow.filter((entry) => isTrusted(networkItem(entry))) },
    ...restrictServices(narrowed, isTrusted),
  };
}

/** Names of the models that the user does not trust. */
export function untrustedModels(config: WorkspaceConfig, isTrusted: IsTrusted): string[] {
  return Object.entries(config.models).flatMap(([name, model]) =>
    modelTrustItems(model, { config }).every(isTrusted) ? [] : [name],
  );
}

function restrictServices(
  config: WorkspaceConfig,
  isTrusted: IsTrusted,
): Pick<WorkspaceConfig, "models" | "search" | "weather"> {
  const withheld = new Set(untrustedModels(config, isTrusted));
  const used = Object.entries(config.models).filter(([name]) => !withheld.has(name));
  const sent = serviceSecrets(config).filter((secret) => !isTrusted(secretItem(secret, { config })));
  const hides = (key: string | undefined): boolean =>
    key !== undefined && sent.some(({ name }) => name === secretName(key));
  const { brave_api_key: brave, ...search } = config.search;
  const { apiKey, ...weather } = config.weather;
  return {
    models: Object.fromEntries(used),
    search: hides(brave) ? search : config.search,
    weather: hides(apiKey) ? weather : config.weather,
  };
}

/** A setting that allows more than its default. */
interface WideSetting {
  readonly item: TrustItem;
  /** The settings with its default. */
  readonly narrow: (config: WorkspaceConfig) => WorkspaceConfig;
}

export function wideSettings(config: WorkspaceConfig, dir: string): WideSetting[] {
  const { permissions } = config;
  const others = sectionSettings().flatMap(({ setting, path, valueIn, reset }): WideSetting[] => {
    const value = valueIn(config);
    const isWide = Array.isArray(value) ? value.length > 0 : value !== setting.default;
    return setting.needsTrust === true && isWide ? [{ item: settingItem(path.join("."), value), narrow: reset }] : [];
  });
  return [
    ...(isWide(permissions) ? [widePermissions(permissions)] : []),
    ...others,
    ...callbackReceivers(config),
    ...servedBuiltins(config),
    ...outsideFolders(config, dir),
  ];
}

/** Receivers of the ends of runs, which hold their outputs. */
function callbackReceivers({ callbacks }: WorkspaceConfig): WideSetting[] {
  if (Object.keys(callbacks).length === 0) return [];
  return [{ item: settingItem("callbacks", callbacks), narrow: (current) => ({ ...current, callbacks: {} }) }];
}

function widePermissions(permissions: PermissionRules): WideSetting {
  return {
    item: settingItem("permissions", permissions),
    narrow: (current) => ({ ...current, permissions: narrowRules(permissions) }),
  };
}

/** Built-in tools that MCP clients are offered. */
function servedBuiltins({ mcp }: WorkspaceConfig): WideSetting[] {
  const served = mcp.serve?.filter((glob) => builtinToolNames.some(nameGlob(glob))) ?? [];
  if (served.length === 0) return [];
  const narrow = (config: WorkspaceConfig): WorkspaceConfig => {
    const { serve: _serve, ...rest } = config.mcp;
    return { ...config, mcp: rest };
  };
  return [{ item: settingItem("mcp.serve", served), narrow }];
}

/** Folders of services that are outside of the workspace, for example because they are links. */
function outsideFolders({ vault, search }: WorkspaceConfig, dir: string): WideSetting[] {
  const { corpus, ...online } = search;
  const folders = [
    { key: "vault", path: folderOutside(vault.folder, dir), section: { vault: {} } },
    {
      key: "search.corpus",
      path: folderOutside(corpus, dir),
      section: { search: online },
    },
  ];
  return folders.flatMap(({ key, path, section }): WideSetting[] => {
    if (path === undefined) return [];
    return [{ item: settingItem(key, path), narrow: (config) => ({ ...config, ...section }) }];
  });
}

function settingItem(key: string, value: unknown): TrustItem {
  return createTrustItem("setting", [key, value], `${key}: ${JSON.stringify(value)}`);
}

const trustedEnding = /\s+trusted$/;

/** True if the rules skip an approval that the default rules require, or allow tainted calls. */
function isWide({ deny = [], ask, allow = [] }: PermissionRules): boolean {
  const guarding = new Set([...deny, ...(ask ?? defaultPermissions.ask)]);
  const isGuarded = (rule: string): boolean => {
    const [caller = ""] = rule.split(":", 1);
    return [rule, "destructive", "*", `${caller}:*`].some((each) => guarding.has(each));
  };
  return !defaultPermissions.ask.every(isGuarded) || allow.some((rule) => trustedEnding.test(rule));
}

function narrowRules({ deny, ask = [], allow }: PermissionRules): PermissionRules {
  return {
    ...(deny !== undefined && { deny }),
    ask: [...new Set([...defaultPermissions.ask, ...ask])],
    ...(allow !== undefined && { allow: allow.map((rule) => rule.replace(trustedEnding, "")) }),
  };
}
