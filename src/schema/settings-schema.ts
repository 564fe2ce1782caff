import { maxTimeoutMs, definedOnly } from "../base/index.ts";
import type { JsonSchema } from "./schema.ts";
import { type Setting, type SettingsTable, defaultOf, settingKey } from "./setting.ts";

/** The JSON Schema of a table of settings. */
export function settingsSchema(table: SettingsTable, about: string): JsonSchema {
  return schemaOf({ type: "section", settings: table, about });
}

/** Text of a setting, with its unit, its default and its environment variable. */
export function describeSetting(setting: Setting): string {
  const { type, about = "", variable } = setting;
  const unit = type === "timeout" ? "seconds" : type;
  const shown = defaultOf(setting);
  return [
    unit === "seconds" || unit === "days" ? about.replace(/\.$/, `, in ${unit}.`) : about,
    ...(shown === undefined ? [] : [`Default: ${shown}.`]),
    ...(variable === undefined ? [] : [`Environment variable: ${variable}.`]),
  ].join(" ");
}

function schemaOf(setting: Setting): JsonSchema {
  const description = describeSetting(setting);
  return { ...shapes[setting.type](setting), ...(description !== "" && { description }) };
}

const positive = { type: "integer", minimum: 1 };

const shapes: Readonly<Record<Setting["type"], (setting: Setting) => JsonSchema>> = {
  text: textSchema,
  flag: () => ({ type: "boolean" }),
  whole: () => ({ type: "integer", minimum: 0 }),
  count: () => positive,
  number: numberSchema,
  seconds: (setting) => numberSchema({ ...setting, above: 0 }),
  timeout: (setting) => numberSchema({ ...setting, above: 0, max: maxTimeoutMs / 1000 }),
  days: (setting) => numberSchema({ ...setting, above: 0 }),
  size: (setting) => ({ title: "a size such as 500MB or 1GB", anyOf: [positive, textSchema(setting)] }),
  list: (setting) => ({ type: "array", items: textSchema(setting) }),
  map: ({ of }) => ({ type: "object", ...(of && { additionalProperties: schemaOf(of) }) }),
  forms: ({ title, forms = [] }) => ({ title, anyOf: forms.map(schemaOf) }),
  section: ({ settings = {} }) => sectionSchema(settings),
};

function textSchema({ choices }: Setting): JsonSchema {
  return choices === undefined ? { type: "string", minLength: 1 } : { enum: choices };
}

function sectionSchema(table: SettingsTable): JsonSchema {
  const settings = Object.entries(table).map(([name, setting]) => [settingKey(name, setting), setting] as const);
  const required = settings.flatMap(([key, setting]) => (setting.required === true ? [key] : []));
  return {
    type: "object",
    properties: lazyProperties(settings),
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  };
}

/** Each schema is made on its first use: most files state few settings. */
function lazyProperties(settings: readonly (readonly [key: string, setting: Setting])[]): Record<string, JsonSchema> {
  const properties: Record<string, JsonSchema> = {};
  for (const [key, setting] of settings) {
    const define = (how: PropertyDescriptor): unknown =>
      Object.defineProperty(properties, key, { ...how, enumerable: true, configurable: true });
    define({
      get: () => {
        const value = schemaOf(setting);
        define({ value });
        return value;
      },
    });
  }
  return properties;
}

function numberSchema({ min, above, max, below }: Setting): JsonSchema {
  return {
    type: "number",
    ...definedOnly({ minimum: min, exclusiveMinimum: above, maximum: max, exclusiveMaximum: below }),
  };
}
