import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findWorkspace, readSettings } from "../../../app/index.ts";
import { builtinTools } from "../../../builtin/index.ts";
import { createHttpClient } from "../../../net/index.ts";
import { isRecord, textOf } from "../../../schema/index.ts";
import { parseYaml } from "../../../text/index.ts";
import { describeLimits, descriptionOf, valuesOf } from "../tools/describe-parameter.ts";
import { parametersOf } from "../tools/tool-parameters.ts";

/** A tool as far as it is known without running any code of the workspace. */
export interface KnownTool {
  readonly name: string;
  readonly about: string;
  readonly parameters: readonly KnownParameter[];
}

/** A parameter of a {@link KnownTool}. */
export interface KnownParameter {
  readonly name: string;
  readonly about: string;
  /** The allowed values, if they are few. */
  readonly values: readonly string[];
}

/** Maximum number of files to read while the user waits for a completion. */
const maxFiles = 500;

/**
 * Lists the tools quickly: files are scanned, no module is loaded. A tool defined in code is found by the `name` next
 * to its `defineTool`, if at all.
 */
export async function knownTools(from: string): Promise<KnownTool[]> {
  const dir = await findWorkspace(from);
  const { config } = await readSettings(dir);
  const own = await toolsOfFolder(join(dir, config.engine.toolsDirectory));
  const builtins = builtinTools({ http: createHttpClient({}) }).map(({ name, description, input }): KnownTool => {
    const parameters = parametersOf(input.json).map((parameter) => ({
      name: parameter.name,
      about: [descriptionOf(parameter), ...describeLimits(parameter)].join(" "),
      values: (valuesOf(parameter.schemas) ?? []).map(String),
    }));
    return { name, about: description, parameters };
  });
  const byName = new Map([...builtins, ...own].map((tool) => [tool.name, tool]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function toolsOfFolder(folder: string): Promise<KnownTool[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.filter((name) => !/(?:^|[/\\])(?:[._]|node_modules)/.test(name)).slice(0, maxFiles);
  const found = await Promise.all(
    files.map(async (name) => {
      const kind = /\.ya?ml$/i.test(name) ? fromYaml : /\.(?:ts|mts|js|mjs)$/.test(name) ? fromCode : undefined;
      if (kind === undefined) return [];
      return kind(await readFile(join(folder, name), "utf8").catch(() => ""));
    }),
  );
  return found.flat();
}

function fromYaml(text: string): KnownTool[] {
  const { value } = parseYaml(text, { file: "" });
  if (!isRecord(value) || typeof value["name"] !== "string") return [];
  const { name, description, parameters } = value;
  const known = (Array.isArray(parameters) ? parameters : []).filter(isRecord).map((parameter) => {
    const { validation } = parameter;
    const values = isRecord(validation) && Array.isArray(validation["enum"]) ? validation["enum"].map(String) : [];
    return { name: textOf(parameter["name"]), about: textOf(parameter["description"]), values };
  });
  return [{ name, about: textOf(description), parameters: known.filter((parameter) => parameter.name !== "") }];
}

function fromCode(text: string): KnownTool[] {
  const found = text.matchAll(/\bdefineTool\s*\(\s*\{[^{}]{0,2000}?\bname:\s*(["'`])([^"'`\n]{1,128})\1/g);
  return Array.from(found, ([, , name = ""]) => ({ name, about: "", parameters: [] }));
}
