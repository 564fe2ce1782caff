import { isAbsolute, resolve } from "node:path";
import { FailureError, isInsideFolder, isFailureError } from "../base/index.ts";
import { compilePermissions, concurrencySettings } from "../engine/index.ts";
import { defaultModel, secretName, unknownModel } from "../model/index.ts";
import { parseAllowList } from "../net/index.ts";
import { FileReport, isYamlMap } from "../schema/index.ts";
import { type Problem, type YamlPath, hasErrors, parseYaml, suggest } from "../text/index.ts";
import { checkModels, modelHint, withoutBareModels, withoutNamelessModel } from "./check-models.ts";
import { type WorkspaceFile, toConfig } from "./complete-config.ts";
import { parseSize } from "./parse-size.ts";
import { checkRunnerOptions } from "./runner-settings.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";
import { workspaceSchema } from "./workspace-schema.ts";

/** Result of parsing a `windlass.yaml`. The config is the default if the file has errors. */
export interface ParsedWorkspace {
  readonly config: WorkspaceConfig;
  readonly problems: readonly Problem[];
}

/** The settings of a folder without a `windlass.yaml`. */
export const defaultConfig: WorkspaceConfig = toConfig({});

/** Parses the text of a `windlass.yaml`. Never throws: errors are in `problems`, each with its position. */
export function parseWorkspace(source: string, file: string): ParsedWorkspace {
  const yaml = parseYaml(source, { file });
  const report = new FileReport(source, file, yaml);
  const value = yaml.value ?? {};
  report.check(
    withoutBareModels(withoutNamelessModel(withoutOldKeys(value, report), report), report),
    workspaceSchema,
    [],
  );
  checkMeanings(value, report);
  checkModels(value, report);
  checkRunnerOptions(valueAt(value, ["agent", "options"]), report);
  // The schema has been checked; an empty key counts as omitted.
  const config = hasErrors(report.problems) ? defaultConfig : toConfig(withoutNulls(value) as WorkspaceFile);
  return { config, problems: report.problems };
}

/** Removes renamed keys, and reports what to write instead. */
function withoutOldKeys(value: unknown, report: FileReport): unknown {
  if (!isYamlMap(value) || !Object.hasOwn(value, "model")) return value;
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
  const near = suggest(name, secrets);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
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

/**
 * Checks what a schema cannot express: rules, rates, sizes, addresses and paths have their own grammars. Values that
 * are not strings were reported by the schema, and do not prevent the other checks.
 */
function checkMeanings(file: unknown, report: FileReport): void {
  const check = (path: YamlPath, read: (text: string) => unknown): void => {
    const text = valueAt(file, path);
    if (typeof text !== "string" || text.trim() === "") return;
    try {
      read(text);
    } catch (error) {
      if (!isFailureError(error)) throw error;
      report.add(error.reason === plainKeyProblem ? plainKeyProblem : "bad_value", path, [error.message]);
    }
  };
  const checkEach = (path: YamlPath, read: (text: string, key: string) => unknown): void => {
    for (const key of keysAt(file, path)) check([...path, key], (text) => read(text, String(key)));
  };
  for (const list of ["deny", "ask", "allow"] as const) {
    checkEach(["permissions", list], (rule) => compilePermissions({ [list]: [rule] }));
  }
  checkEach(["concurrency", "rate_limits"], (rate, name) => concurrencySettings({ rateLimits: { [name]: rate } }));
  checkEach(["network", "allow"], (entry) => parseAllowList([entry]));
  checkEach(["network", "trusted_hosts"], (entry) => parseAllowList([entry], "network.trusted_hosts"));
  check(["retention", "bytes"], parseSize);
  check(["engine", "tools_directory"], checkFolder);
  check(["chains", "directory"], checkFolder);
  check(["skills", "directory"], checkFolder);
  check(["capabilities", "directory"], checkFolder);
  check(["search", "corpus"], checkFolder);
  for (const path of webAddresses) check(path, checkWebAddress);
  const secrets = [...keysAt(file, ["secrets"])].map(String);
  const keys = [...[...keysAt(file, ["models"])].map((name) => ["models", name, "api_key"]), ...serviceKeyPaths];
  for (const path of keys) check(path, (text) => checkKey(text, secrets));
  check(["agent", "model"], (name) => checkModelName(name, [...keysAt(file, ["models"])].map(String)));
  check(["vault"], checkFolder);
  check(["vault", "folder"], checkFolder);
}

function keysAt(file: unknown, path: YamlPath): Iterable<string | number> {
  const group = valueAt(file, path);
  return Array.isArray(group) ? group.keys() : isYamlMap(group) ? Object.keys(group) : [];
}

/** The value at a path; undefined if the path leads nowhere. */
function valueAt(value: unknown, path: YamlPath): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const isGroup = isYamlMap(value) || Array.isArray(value);
  // A list is read by its indexes as a map is by its keys.
  return isGroup && Object.hasOwn(value, key) ? valueAt((value as Record<string, unknown>)[key], rest) : undefined;
}

const serviceKeyPaths: readonly YamlPath[] = [
  ["search", "brave_api_key"],
  ["weather", "api_key"],
];

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
