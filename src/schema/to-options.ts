import { FailureError } from "../base/index.ts";
import { type OptionsOf, type Setting, type SettingsTable, settingKey } from "./setting.ts";
import { isRecord } from "./subschemas.ts";

/** Converts checked values of a file to options, with defaults for what it omits. */
export function toOptions<T extends SettingsTable>(table: T, file: unknown = {}): OptionsOf<T> {
  // The schema guarantees a map.
  const values = file as Readonly<Record<string, unknown>>;
  const options = Object.entries(table).flatMap(([name, setting]) => {
    const key = settingKey(name, setting);
    const value = (Object.hasOwn(values, key) ? values[key] : undefined) ?? setting.default;
    if (setting.type === "section") return [[name, toOptions(setting.settings ?? {}, value)]];
    return value === undefined ? [] : [[name, toOption(setting, value)]];
  });
  // The table decides names and types.
  return Object.fromEntries(options) as OptionsOf<T>;
}

/** Milliseconds in a unit of the file. */
const units: Readonly<Record<string, number>> = { seconds: 1000, timeout: 1000, days: 86_400_000 };

function toOption({ type }: Setting, value: unknown): unknown {
  if (type === "size") return parseSize(value as number | string);
  const unit = units[type];
  return unit === undefined ? value : Number(value) * unit;
}

const sizeUnits: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
};

/** Reads `500MB`, `1GB`, `64 KiB`. */
export function parseSize(size: number | string): number {
  if (typeof size === "number") return size;
  const match = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(size);
  const unit = sizeUnits[match?.[2]?.toUpperCase() ?? "?"];
  if (!match || unit === undefined) {
    throw new FailureError(`"${size}" is not a size; write for example 500MB, 1GB or 64KiB`, { code: "file_invalid" });
  }
  return Math.floor(Number(match[1]) * unit);
}

interface Rule {
  readonly expects: string;
  readonly fits: (value: unknown) => boolean;
}

const rules: Readonly<Partial<Record<Setting["type"], Rule>>> = {
  text: { expects: "a text", fits: (value) => typeof value === "string" && value.trim() !== "" },
  whole: { expects: "a whole number, 0 or more", fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0 },
  count: { expects: "a whole number, 1 or more", fits: (value) => Number.isSafeInteger(value) && Number(value) > 0 },
  list: {
    expects: "a list of texts",
    fits: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  },
  map: { expects: "a map", fits: isRecord },
};

/** The values of an option in code, by its setting, and a check of them. */
export function optionRule({ type, choices, title, above, min = 0 }: Setting): Rule {
  if (type === "number") {
    const expects = title ?? (above === undefined ? `a number of at least ${min}` : `a number above ${above}`);
    return {
      expects,
      fits: (value) => Number.isFinite(value) && (above === undefined ? Number(value) >= min : Number(value) > above),
    };
  }
  if (choices !== undefined) {
    const expects = choices.map((choice) => JSON.stringify(choice)).join(" or ");
    return { expects, fits: (value) => choices.some((choice) => choice === value) };
  }
  const { expects, fits } = rules[type] ?? { expects: "", fits: () => true };
  return { expects: title ?? expects, fits };
}
