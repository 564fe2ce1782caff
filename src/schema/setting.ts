/** Types of values that a setting has by itself, with the type of the option in code. */
interface OptionTypes {
  readonly text: string;
  readonly flag: boolean;
  /** A whole number, 0 or more. */
  readonly whole: number;
  /** A whole number, 1 or more. */
  readonly count: number;
  readonly number: number;
  /** In code milliseconds, as `timeout` and `days`. */
  readonly seconds: number;
  /** Seconds, at most 24 hours. */
  readonly timeout: number;
  readonly days: number;
  /** `500MB` or a number of bytes; in code always bytes. */
  readonly size: number;
}

/** The grammar of a text, for checks that a schema cannot express. */
export type SettingFormat = "folder" | "url" | "secret" | "model" | "rule" | "rate" | "address" | "host";

/**
 * A setting of a file as data. Its type, JSON Schema, default, checks, documentation and command-line flag are derived
 * from it. Limits and defaults are in the unit of the file.
 */
export interface Setting {
  readonly type: keyof OptionTypes | "list" | "map" | "forms" | "section";
  /** Meaning, in sentences. The unit and the default are appended. */
  readonly about?: string;
  /** Key in the file. Default: the name in snake case, without `Ms`. */
  readonly key?: string;
  readonly default?: unknown;
  /** Text of the default if there is no value for it: `no limit`. */
  readonly defaultText?: string;
  readonly required?: boolean;
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly below?: number;
  /** The only valid texts; of a `list`, the only valid items. */
  readonly choices?: readonly string[];
  /** Type of the values of a `map`, which are used as they are in the file. Default: any. */
  readonly of?: Setting;
  /** Alternatives of `forms`; their values are used as they are in the file. */
  readonly forms?: readonly Setting[];
  /** Short description of the valid values. */
  readonly title?: string;
  /** Correct form, if that needs an explanation. */
  readonly hint?: string;
  /** Settings of a `section`. */
  readonly settings?: SettingsTable;
  /** Grammar of a text, and of each item of a `list`. */
  readonly format?: SettingFormat;
  /** Files of a folder that must exist if it is set; one that files are loaded from must not lead outside. */
  readonly contents?: { readonly name: string; readonly use: "loaded" | "searched" };
  /** Use of the tool names of a list, and whether `*` is a wildcard. */
  readonly tools?: { readonly use: "choice" | "trust"; readonly globs: boolean };
  /** True if any other value than the default allows more, so that it needs trust. */
  readonly needsTrust?: boolean;
  /** Word for the value of its command-line flag, which a text or a whole number can have. Default: no flag. */
  readonly flag?: string;
  /** Environment variable that overrides it. */
  readonly variable?: string;
}

/** A table of settings, by the names of their options in code. */
export type SettingsTable = Readonly<Record<string, Setting>>;

/** The options of a table: those with a default, and sections, always have a value. */
export type OptionsOf<T> = Pick<Options<T>, Complete<T>> & Partial<Omit<Options<T>, Complete<T>>>;

type Options<T> = { readonly [K in keyof T]: OptionOf<T[K]> };

type Complete<T> = {
  [K in keyof T]: T[K] extends { readonly default: unknown } | { readonly type: "section" } ? K : never;
}[keyof T];

type OptionOf<S> = S extends { readonly type: "section"; readonly settings: infer T } ? OptionsOf<T> : FileValueOf<S>;

/** The values of a table as the file has them, with all optional ones. */
export type FileOf<T> = Pick<FileValues<T>, Required<T>> & {
  readonly [K in keyof Omit<FileValues<T>, Required<T>>]?: FileValues<T>[K] | undefined;
};

type FileValues<T> = { readonly [K in keyof T]: FileValueOf<T[K]> };

type Required<T> = { [K in keyof T]: T[K] extends { readonly required: true } ? K : never }[keyof T];

type FileValueOf<S> = S extends { readonly type: "section"; readonly settings: infer T }
  ? FileOf<T>
  : S extends { readonly type: "list" }
    ? readonly TextOf<S>[]
    : S extends { readonly type: "map" }
      ? Readonly<Record<string, S extends { readonly of: infer V } ? FileValueOf<V> : unknown>>
      : S extends { readonly type: "forms"; readonly forms: readonly (infer F)[] }
        ? FileValueOf<F>
        : S extends { readonly type: "text" }
          ? TextOf<S>
          : S extends { readonly type: infer N extends keyof OptionTypes }
            ? OptionTypes[N]
            : never;

type TextOf<S> = S extends { readonly choices: readonly (infer C)[] } ? C : string;

/** Key of a setting in the file. */
export function settingKey(name: string, { key }: Setting): string {
  return key ?? name.replace(/Ms$/, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The default of a setting as text; undefined if it has none. */
export function defaultOf({ default: value, defaultText }: Setting): string | undefined {
  if (value === undefined || defaultText !== undefined) return defaultText;
  // Number formats of the platform take 10 ms to load, which the help of a command would wait for.
  if (typeof value === "number") return String(value).replaceAll(/\B(?<!\.\d*)(?=(?:\d{3})+$)/g, ",");
  if (typeof value === "object") return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
