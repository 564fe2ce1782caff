import { isAbsolute, resolve } from "node:path";
import { FailureError, isInsideFolder, isFailureError } from "../base/index.ts";
import { compilePermissions, concurrencySettings } from "../engine/index.ts";
import { defaultModel, secretName, unknownModel } from "../model/index.ts";
import { parseAllowList } from "../net/index.ts";
import {
  FileReport,
  type JsonSchema,
  type SettingFormat,
  isRecord,
  parseSize,
  settingsSchema,
  ownValue,
  recordOf,
} from "../schema/index.ts";
import { type Problem, type YamlPath, hasErrors, parseYaml, suggestEnding } from "../text/index.ts";
import { checkModels, modelHint, withoutBareModels, withoutNamelessModel } from "./check-models.ts";
import { checkRunnerOptions } from "./runner-settings.ts";
import { type WorkspaceConfig, toConfig } from "./workspace-config.ts";
import { settingTexts } from "./setting-texts.ts";
import { workspaceTable } from "./workspace-table.ts";

/** Result of parsing a `windlass.yaml`. The config is the default if the file has errors. */
export interface ParsedWorkspace {
  readonly config: WorkspaceConfig;
  readonly problems: readonly Problem[];
}

/** The settings of a folder without a `windlass.yaml`. */
export function defaultConfig(): WorkspaceConfig {
  return toConfig({});
}

/** The format of `windlass.yaml` as JSON Schema, for editors. */
export function workspaceSchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Windlass workspace",
    ...settingsSchema(workspaceTable, "Settings of a workspace. Every key is optional."),
  };
}

/** Parses the text of a `windlass.yaml`. Never throws: errors are in `problems`, each with its position. */
export function parseWorkspace(source: string, file: string): ParsedWorkspace {
  const yaml = parseYaml(source, { file });
  const report = new FileReport(source, file, yaml);
  const value = yaml.value ?? {};
  report.check(
    withoutBareModels(withoutNamelessModel(withoutOldKeys(value, report), report), report),
    workspaceSchema(),
    [],
  );
  checkMeanings(value, report);
  checkModels(value, report);
  checkRunnerOptions(recordOf(ownValue(value, "agent"))["options"], report);
  // The schema has been checked; an empty key counts as omitted.
  const config = hasErrors(report.problems) ? defaultConfig() : toConfig(withoutNulls(value));
  return { config, problems: report.problems };
}

/** Removes renamed keys, and reports what to write instead. */
function withoutOldKeys(value: unknown, report: FileReport): unknown {
  if (!isRecord(value) || !Object.hasOwn(value, "model")) return value;
  const { model, ...rest } = value;
  const message = "`model` is now `models`, with a name for each model";
  report.add("unknown_key", ["model"], [message, { part: "key", hint: modelHint(model, rest["models"]) }]);
  return rest;
}

/** The default one may be named by the environment alone. */
function checkModelName(name: string, known: readonly string[]): void {
  if (name !== defaultModel && !known.includes(name)) {
    throw new FailureError(unknownModel(name, known), { code: "file_invalid" });
  }
}

/** Code of problems whose value may be a key: it is not shown. */
export const plainKeyProblem = "plain_key";

/** Checks the name of a secret that holds a key. The text itself is not shown: it may be the key. */
function checkKey(text: string, secrets: readonly string[]): void {
  const name = secretName(text);
  if (secrets.includes(name)) return;
  const hint = suggestEnding(name, secrets);
  throw new FailureError(`${whyNoSecret(text, name)}${hint}`, { code: "file_invalid", reason: plainKeyProblem });
}

function whyNoSecret(text: string, name: string): string {
  const todo = 'declare it under `secrets:`, such as secrets: { MY_KEY: env }, and write "${secret.MY_KEY}" here';
  if (name !== text) return `there is no such secret; ${todo}`;
  if (text.includes("${")) return 'this is not a secret reference; write "${secret.NAME}", with a name from `secrets:`';
  return `this names no secret, and a key itself must not be written here; ${todo}`;
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNulls(item)]])),
  );
}

/** Checks what a schema cannot express: rules, rates, sizes, addresses and paths have their own grammars. */
function checkMeanings(file: unknown, report: FileReport): void {
  for (const { setting, text, path } of settingTexts(file)) {
    const check = setting.format === undefined ? undefined : checks[setting.format];
    if (text.trim() === "") continue;
    try {
      if (setting.type === "size") parseSize(text);
      check?.(text, { path, file });
    } catch (error) {
      if (!isFailureError(error)) throw error;
      report.add(error.reason === plainKeyProblem ? plainKeyProblem : "bad_value", path, [error.message]);
    }
  }
}

interface CheckedText {
  readonly path: YamlPath;
  readonly file: unknown;
}

/** Checks of the grammars of texts; each throws a failure with the reason. */
const checks: Readonly<Record<SettingFormat, (text: string, at: CheckedText) => unknown>> = {
  folder: checkFolder,
  url: checkWebAddress,
  rule: (rule, { path: [, list = ""] }) => compilePermissions({ [list]: [rule] }),
  rate: (rate, { path }) => concurrencySettings({ rateLimits: { [String(path.at(-1))]: rate } }),
  address: (entry) => parseAllowList([entry]),
  host: (entry, { path }) => parseAllowList([entry], path.slice(0, 2).join(".")),
  secret: (text, { file }) => checkKey(text, Object.keys(recordOf(ownValue(file, "secrets")))),
  model: (name, { file }) => checkModelName(name, Object.keys(recordOf(ownValue(file, "models")))),
};

function checkWebAddress(text: string): void {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return;
  // The text itself is not shown: it may hold a password.
  throw new FailureError("this is not a valid web address; write it like http://127.0.0.1:8888, without a user name", {
    code: "file_invalid",
  });
}

function checkFolder(path: string): void {
  // A path leads out of any workspace or none, so the workspace's location is irrelevant.
  // `~` is the home folder, as in a shell.
  if (
    !isAbsolute(path) &&
    !/^~(?:[/\\]|$)/.test(path) &&
    isInsideFolder(resolve("/workspace", path), resolve("/workspace"))
  )
    return;
  throw new FailureError(`"${path}" lies outside the workspace; write the path of a folder in it`, {
    code: "file_invalid",
  });
}
