import { type Setting, isRecord, settingKey } from "../schema/index.ts";
import type { YamlPath } from "../text/index.ts";
import { workspaceTable } from "./workspace-table.ts";

/** A text of the file, with its setting. */
export interface SettingText {
  readonly setting: Setting;
  readonly text: string;
  readonly path: YamlPath;
}

/** All texts of a file that settings have. The schema checks values of other types. */
export function settingTexts(file: unknown): SettingText[] {
  return textsIn({ type: "section", settings: workspaceTable }, file, []);
}

function textsIn(setting: Setting, value: unknown, path: YamlPath): SettingText[] {
  const { type, settings = {}, forms = [], of } = setting;
  const inForms = forms.flatMap((form) => textsIn(form, value, path));
  if (typeof value === "string") return type === "list" ? [] : [{ setting, text: value, path }, ...inForms];
  if (Array.isArray(value)) {
    const item: Setting = { ...setting, type: "text" };
    return type === "list" ? value.flatMap((text, index) => textsIn(item, text, [...path, index])) : [];
  }
  if (!isRecord(value)) return [];
  const keys = Object.entries(settings).map(([name, inner]) => [settingKey(name, inner), inner] as const);
  const others = of === undefined ? [] : Object.keys(value).map((key) => [key, of] as const);
  const inside = [...keys, ...others].filter(([key]) => Object.hasOwn(value, key));
  return [...inForms, ...inside.flatMap(([key, inner]) => textsIn(inner, value[key], [...path, key]))];
}
