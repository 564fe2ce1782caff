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
import type { ServiceSettings, WorkspaceConfig } from "./workspace-config.ts";

/** True if the user trusts the item. */
export type IsTrusted = (item: TrustItem) => boolean;

/** The settings without the parts that the user does not trust: those have their defaults. */
export function restrictConfig(config: WorkspaceConfig, isTrusted: IsTrusted, dir: string): WorkspaceConfig {
  const narrowed = wideSettings
    .filter((setting) => settingItem(setting, config, dir).some((item) => !isTrusted(item)))
    .reduce((current, { narrow }) => narrow(current), config);
  return {
    ...narrowed,
    network: { ...narrowed.network, allow: narrowed.network.allow.filter((entry) => isTrusted(networkItem(entry))) },
    services: restrictServices(narrowed, isTrusted),
  };
}

/** Names of the models that the user does not trust. */
export function untrustedModels(config: WorkspaceConfig, isTrusted: IsTrusted): string[] {
  return Object.entries(config.services.models ?? {}).flatMap(([name, model]) =>
    modelTrustItems(model, { config }).every(isTrusted) ? [] : [name],
  );
}

/** Items for the settings that allow more than their defaults. */
export function settingItems(config: WorkspaceConfig, dir: string): TrustItem[] {
  return wideSettings.flatMap((setting) => settingItem(setting, config, dir));
}

function restrictServices(config: WorkspaceConfig, isTrusted: IsTrusted): ServiceSettings {
  const { models, search, weather, ...rest } = config.services;
  const withheld = new Set(untrustedModels(config, isTrusted));
  const used = Object.entries(models ?? {}).filter(([name]) => !withheld.has(name));
  const sent = serviceSecrets(config).filter((secret) => !isTrusted(secretItem(secret, { config })));
  const hides = (key: string | undefined): boolean =>
    key !== undefined && sent.some(({ name }) => name === secretName(key));
  const { brave_api_key: brave, ...searches } = search ?? {};
  const { api_key: key, ...forecasts } = weather ?? {};
  return {
    ...rest,
    ...(used.length > 0 && { models: Object.fromEntries(used) }),
    ...(search && { search: hides(brave) ? searches : search }),
    ...(weather && { weather: hides(key) ? forecasts : weather }),
  };
}

/** A setting that may allow more than its default. */
interface WideSetting {
  readonly key: string;
  /** Its value, if it is wider than the default. */
  readonly wide: (config: WorkspaceConfig, dir: string) => unknown;
  /** The settings with its default. */
  readonly narrow: (config: WorkspaceConfig) => WorkspaceConfig;
}

const wideSettings: readonly WideSetting[] = [
  {
    key: "permissions",
    wide: ({ permissions }) => (isWide(permissions) ? permissions : undefined),
    narrow: (config) => ({ ...config, permissions: narrowRules(config.permissions) }),
  },
  {
    key: "skills.trust_allowed_tools",
    wide: ({ skills }) => skills.trustAllowedTools || undefined,
    narrow: (config) => ({ ...config, skills: { ...config.skills, trustAllowedTools: false } }),
  },
  {
    key: "chains.trusted_tools",
    wide: ({ chains }) => listed(chains.trustedTools),
    narrow: (config) => ({ ...config, chains: { ...config.chains, trustedTools: [] } }),
  },
  {
    key: "agent.trusted_tools",
    wide: ({ agent }) => listed(agent.trustedTools ?? []),
    narrow: (config) => ({ ...config, agent: { ...config.agent, trustedTools: [] } }),
  },
  {
    key: "network.trusted_hosts",
    wide: ({ network }) => listed(network.trustedHosts),
    narrow: (config) => ({ ...config, network: { ...config.network, trustedHosts: [] } }),
  },
  {
    key: "files.editable",
    wide: ({ files }) => listed(files.editable),
    narrow: (config) => ({ ...config, files: { ...config.files, editable: [] } }),
  },
  {
    key: "files.hard_links",
    wide: ({ files }) => files.hardLinks || undefined,
    narrow: (config) => ({ ...config, files: { ...config.files, hardLinks: false } }),
  },
  {
    key: "mcp.serve",
    wide: ({ mcp: { serve = [] } }) => listed(serve.filter((glob) => builtinToolNames.some(nameGlob(glob)))),
    narrow: ({ mcp: { serve: _serve, ...mcp }, ...config }) => ({ ...config, mcp }),
  },
  {
    key: "vault",
    wide: ({ services: { vault } }, dir) => folderOutside(vault?.folder, dir),
    narrow: (config) => withService(config, "vault", undefined),
  },
  {
    key: "search.corpus",
    wide: ({ services: { search } }, dir) => folderOutside(search?.corpus, dir),
    narrow: (config) => withService(config, "search", { ...config.services.search, corpus: undefined }),
  },
  ...(["searxng_url", "mediawiki_url"] as const).map((key): WideSetting => ({
    key: `search.${key}`,
    wide: ({ services: { search } }) => search?.[key],
    narrow: (config) => withService(config, "search", { ...config.services.search, [key]: undefined }),
  })),
  ...(["forecast_url", "geocoding_url"] as const).map((key): WideSetting => ({
    key: `weather.${key}`,
    wide: ({ services: { weather } }) => weather?.[key],
    narrow: (config) => {
      const { [key]: _url, ...weather } = config.services.weather ?? {};
      return withService(config, "weather", weather);
    },
  })),
];

function withService<K extends "vault" | "search" | "weather">(
  config: WorkspaceConfig,
  name: K,
  settings: ServiceSettings[K],
): WorkspaceConfig {
  const { [name]: _before, ...others } = config.services;
  return { ...config, services: { ...others, ...(settings !== undefined && { [name]: settings }) } };
}

function settingItem({ key, wide }: WideSetting, config: WorkspaceConfig, dir: string): TrustItem[] {
  const value = wide(config, dir);
  return value === undefined ? [] : [createTrustItem("setting", [key, value], `${key}: ${JSON.stringify(value)}`)];
}

function listed<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
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
