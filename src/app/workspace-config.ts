import { type OptionsOf, type Setting, settingKey, toOptions } from "../schema/index.ts";
import { toRunnerOptions } from "./runner-settings.ts";
import { workspaceTable } from "./workspace-table.ts";

/** Source of a secret's value. */
export type SecretSource = { readonly env: string } | { readonly file: string };

/**
 * `windlass.yaml`, read, checked and complete, by the names of the options in code. Maps and `search` are as in the
 * file: models and search providers also read them from the environment.
 */
export interface WorkspaceConfig extends Omit<OptionsOf<typeof workspaceTable>, "secrets" | "vault"> {
  /** Names of secrets and the sources of their values. */
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** The folder of notes. Default: the workspace. */
  readonly vault: { readonly folder?: string | undefined; readonly watch?: boolean | undefined };
}

/** A kind of control files that file tools may be allowed to write. */
export type EditableKind = WorkspaceConfig["files"]["editable"][number];

/** Converts the checked settings of a file. */
export function toConfig(file: unknown): WorkspaceConfig {
  const { secrets, vault = {}, agent, ...config } = toOptions(workspaceTable, file);
  const sources = Object.entries(secrets).map(([name, source]) => [name, source === "env" ? { env: name } : source]);
  return {
    ...config,
    agent: { ...agent, ...(agent.options && { options: toRunnerOptions(agent.options) }) },
    secrets: Object.fromEntries(sources) as WorkspaceConfig["secrets"],
    vault: typeof vault === "string" ? { folder: vault } : vault,
  };
}

/** A setting of a section, with its keys in the file. */
export interface SectionSetting {
  readonly setting: Setting;
  readonly path: readonly [section: string, key: string];
  /** Its value in a configuration. */
  readonly valueIn: (config: WorkspaceConfig) => unknown;
  /** The configuration with the default of the setting. */
  readonly reset: (config: WorkspaceConfig) => WorkspaceConfig;
}

/** All settings of sections, in the order of the reference. */
export function sectionSettings(): SectionSetting[] {
  return Object.entries<Setting>(workspaceTable).flatMap(([section, { settings = {} }]) =>
    Object.entries(settings).map(([name, setting]) => {
      // The configuration has the structure of the table.
      const optionsIn = (config: WorkspaceConfig) => Reflect.get(config, section) as Readonly<Record<string, unknown>>;
      return {
        setting,
        path: [section, settingKey(name, setting)],
        valueIn: (config) => optionsIn(config)[name],
        reset: (config) => ({ ...config, [section]: { ...optionsIn(config), [name]: setting.default } }),
      };
    }),
  );
}
