import { type OptionReader, readOwnCommands, runnerOptions } from "../agent/index.ts";
import { type FileReport, isRecord } from "../schema/index.ts";
import { quoteText, suggest } from "../text/index.ts";

/** Where the options of runners are written. */
const optionsPath: readonly string[] = ["agent", "options"];

/** Where commands of one's own are written. */
export const commandsPath: readonly string[] = [...optionsPath, "commands"];

interface KnownOption {
  /** As the runner knows it. */
  readonly name: string;
  readonly reader: OptionReader<unknown>;
}

const known: readonly KnownOption[] = Object.values(runnerOptions).flatMap(
  (readers: Readonly<Record<string, OptionReader<unknown>>>) =>
    Object.entries(readers).map(([name, reader]) => ({ name, reader })),
);
const byName = new Map(known.map((option) => [option.name, option]));
/** By their names in the file. */
const byKey = new Map(known.map((option) => [toKey(option.name), option]));

function toKey(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The options that the file stands for. What no runner has is left as it is: one of your own may know it. */
export function toOptions(file: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(file).flatMap(([key, value]) => {
      const name = byKey.get(key)?.name;
      // Written as the runner knows it, it counts unless it is also there as it should be.
      const isTwice = name === undefined && byName.has(key) && isGiven(file, toKey(key));
      return isTwice ? [] : [[name ?? key, value]];
    }),
  );
}

function isGiven(file: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(file, key) && file[key] !== null && file[key] !== undefined;
}

/** Warns about options that no runner has, which are most likely misspelt, and about those that cannot be used. */
export function checkOptions(options: unknown, report: FileReport): void {
  if (!isRecord(options)) return;
  for (const [key, value] of Object.entries(options)) {
    const path = [...optionsPath, key];
    const option = byKey.get(key) ?? byName.get(key);
    if (option !== undefined && !byKey.has(key)) {
      const used = isGiven(options, toKey(key)) ? `${toKey(key)} is used instead of ${key}` : `${key} is the old name`;
      report.add("unknown_key", path, [used, { severity: "warning", part: "key", hint: `write ${toKey(key)}` }]);
    }
    if (option === undefined) {
      const message = `no runner has an option ${quoteText(key)}`;
      report.add("unknown_key", path, [message, { severity: "warning", part: "key", hint: hintFor(key) }]);
    } else if (value !== null && option.reader.read(value) === undefined) {
      const { wants, hint } = option.reader;
      report.add("bad_value", path, [`${key} is not ${wants}, and is not used`, { severity: "warning", hint }]);
    }
  }
  for (const { key, message, hint } of readOwnCommands(options["commands"]).faults) {
    report.add("bad_value", [...commandsPath, key], [message, { severity: "warning", part: "key", hint }]);
  }
}

function hintFor(key: string): string {
  const near = suggest(key, byKey.keys());
  return near === undefined ? `there are ${[...byKey.keys()].join(", ")}` : `did you mean "${near}"?`;
}
