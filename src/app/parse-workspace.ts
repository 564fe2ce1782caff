import { isAbsolute, resolve } from "node:path";
import { FailureError, isBelow, isFailureError } from "../base/index.ts";
import { compilePermissions, concurrencySettings } from "../engine/index.ts";
import { defaultModel, secretName, unknownModel } from "../model/index.ts";
import { parseAllowList } from "../net/index.ts";
import { FileReport, isMap } from "../schema/index.ts";
import { type Problem, type YamlPath, hasErrors, parseYaml } from "../text/index.ts";
import { checkModels, modelHint, withoutBareModels, withoutNamelessModel } from "./check-models.ts";
import { type WorkspaceFile, toConfig } from "./complete-config.ts";
import { parseSize } from "./parse-size.ts";
import { checkOptions } from "./runner-settings.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";
import { workspaceSchema } from "./workspace-schema.ts";

/** What became of a `windlass.yaml`. The config is the default where the file has errors. */
export interface ParsedWorkspace {
  readonly config: WorkspaceConfig;
  readonly problems: readonly Problem[];
}

/** The settings of a folder without a `windlass.yaml`. */
export const defaultConfig: WorkspaceConfig = toConfig({});

/** Reads the text of a `windlass.yaml`. Never throws: what is wrong is in `problems`, each with its place. */
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
  checkOptions(valueAt(value, ["agent", "options"]), report);
  // The schema was checked just now; an empty key is as good as none.
  const config = hasErrors(report.problems) ? defaultConfig : toConfig(withoutNulls(value) as WorkspaceFile);
  return { config, problems: report.problems };
}

/** Keys that were once known say what is written instead. */
function withoutOldKeys(value: unknown, report: FileReport): unknown {
  if (!isMap(value) || !Object.hasOwn(value, "model")) return value;
  const { model, ...rest } = value;
  const message = "`model` is written as `models` now, which has a name for each model";
  report.add("unknown_key", ["model"], [message, { part: "key", hint: modelHint(model, rest["models"]) }]);
  return rest;
}

/** The default one may be named by the environment alone. */
function checkModelName(name: string, known: readonly string[]): void {
  if (name !== defaultModel && !known.includes(name)) {
    throw new FailureError(unknownModel(name, known), { code: "file_invalid" });
  }
}

function checkKey(text: string): void {
  // The text itself is not shown: it may be the key.
  if (!text.includes("${") || secretName(text) !== text) return;
  throw new FailureError('this is no secret; write "${secret.NAME}", with the name of one of `secrets:`', {
    code: "file_invalid",
  });
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
    for (const key of keysAt(file, path)) check([...path, key], (text) => read(text, String(key)));
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
  check(["capabilities", "directory"], checkFolder);
  check(["search", "corpus"], checkFolder);
  for (const path of webAddresses) check(path, checkWebAddress);
  for (const name of keysAt(file, ["models"])) check(["models", name, "api_key"], checkKey);
  check(["agent", "model"], (name) => checkModelName(name, [...keysAt(file, ["models"])].map(String)));
  check(["vault"], checkFolder);
  check(["vault", "folder"], checkFolder);
}

function keysAt(file: unknown, path: YamlPath): Iterable<string | number> {
  const group = valueAt(file, path);
  return Array.isArray(group) ? group.keys() : isMap(group) ? Object.keys(group) : [];
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
