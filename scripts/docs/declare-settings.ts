import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Setting, type SettingsTable, describeSetting, toOptions } from "../../src/schema/index.ts";
import type { PublicName } from "./public-names.ts";

const derived = / extends ([^{]*)typeof (\w+)>([^{]*)\{/;
const chosen = /\(typeof (\w+)\.(\w+)\.choices\)\[number\]/;

/** Writes out what a declaration has from a table of settings: the fields of an interface, or the texts to choose from. */
export async function declareSettings(item: PublicName): Promise<PublicName> {
  const { declaration } = item;
  const [choice = "", of = "", option = ""] = chosen.exec(declaration) ?? [];
  if (choice !== "") {
    const { [option]: setting } = await tableNamed(of, item);
    const text = typeOf({ ...setting, type: "text" }, { isFile: true, isPartial: true });
    return { ...item, declaration: declaration.replace(choice, () => text) };
  }
  const [all, before = "", name = "", after = ""] = derived.exec(declaration) ?? [];
  return all === undefined ? item : withFields(item, all, { before, name, after });
}

interface Derived {
  readonly before: string;
  readonly name: string;
  readonly after: string;
}

async function withFields(item: PublicName, all: string, { before, name, after }: Derived): Promise<PublicName> {
  const isFile = before.includes("FileOf");
  const settings = Object.entries(await tableNamed(name, item)).filter(([key]) => !after.includes(`"${key}"`));
  const fields = fieldsOf(settings, { isFile, isPartial: isFile || before.includes("Partial") });
  return { ...item, declaration: item.declaration.replace(all, () => ` {\n${fields}`) };
}

/** A table that the file of a name declares or imports. */
async function tableNamed(name: string, { file }: PublicName): Promise<SettingsTable> {
  const [, from = file] =
    new RegExp(`^import [^;]*\\b${name}\\b[^;]* from "([^"]+)"`, "m").exec(readFileSync(file, "utf8")) ?? [];
  const { [name]: table = {} } = (await import(resolve(dirname(file), from))) as Readonly<
    Record<string, SettingsTable>
  >;
  return table;
}

interface Form {
  /** Values as the file has them, not as the code does. */
  readonly isFile: boolean;
  readonly isPartial: boolean;
}

function fieldsOf(settings: readonly [string, Setting][], form: Form): string {
  const { isPartial } = form;
  return settings
    .map(([name, setting]) => {
      const has = setting.required === true || (!isPartial && ("default" in setting || setting.type === "section"));
      const text = form.isFile ? describeSetting(setting) : describeOption(setting);
      return `/** ${text} */\nreadonly ${name}${has ? "" : "?"}: ${typeOf(setting, form)};\n`;
    })
    .join("");
}

/** Durations of options in code are in milliseconds. */
function describeOption(setting: Setting): string {
  const value: unknown = Object.values(toOptions({ option: setting }))[0];
  const text = describeSetting({ ...setting, default: setting.default === undefined ? undefined : value });
  return text.replace(/, in (?:seconds|days)\./, ", in milliseconds.");
}

function typeOf(setting: Setting, form: Form): string {
  const { type, choices, of, forms = [], settings = {} } = setting;
  const text = choices?.map((choice) => JSON.stringify(choice)).join(" | ") ?? "string";
  const asIs: Form = { isFile: true, isPartial: true };
  switch (type) {
    case "text":
      return text;
    case "flag":
      return "boolean";
    case "list":
      return `readonly (${text})[]`;
    case "map":
      return `Readonly<Record<string, ${of === undefined ? "unknown" : typeOf(of, asIs)}>>`;
    case "forms":
      return forms.map((one) => typeOf(one, asIs)).join(" | ");
    case "section":
      return `{ ${fieldsOf(Object.entries(settings), form)} }`;
    default:
      return "number";
  }
}
