import { type OptionReader, agentTexts, readCustomCommands, runnerOptions } from "../agent/index.ts";
import { type FileReport, isRecord } from "../schema/index.ts";
import { quoteText, suggest } from "../text/index.ts";

/** Path of the runner options. */
const optionsPath: readonly string[] = ["agent", "options"];

/** Path of the custom commands. */
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

/** Converts the options in the file. Unknown keys stay unchanged: a custom runner may use them. */
export function toRunnerOptions(file: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(file).flatMap(([key, value]) => {
      const name = byKey.get(key)?.name;
      // Written as the runner knows it, it counts unless it is also there as it should be.
      const isTwice = name === undefined && byName.has(key) && hasKey(file, toKey(key));
      return isTwice ? [] : [[name ?? key, value]];
    }),
  );
}

function hasKey(file: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(file, key) && file[key] !== null && file[key] !== undefined;
}

/** Warns about unknown runner options, which are probably misspelled, and about unusable ones. */
export function checkRunnerOptions(options: unknown, report: FileReport): void {
  if (!isRecord(options)) return;
  for (const [key, value] of Object.entries(options)) {
    const path = [...optionsPath, key];
    const option = byKey.get(key) ?? byName.get(key);
    if (option !== undefined && !byKey.has(key)) {
      const used = hasKey(options, toKey(key)) ? `${toKey(key)} is used instead of ${key}` : `${key} is the old name`;
      report.add("unknown_key", path, [used, { severity: "warning", part: "key", hint: `write ${toKey(key)}` }]);
    }
    if (option === undefined) {
      const message = `no runner has an option ${quoteText(key)}`;
      report.add("unknown_key", path, [message, { severity: "warning", part: "key", hint: hintFor(key) }]);
    } else if (value !== null && option.reader.read(value) === undefined) {
      const { type, hint } = option.reader;
      report.add("bad_value", path, [
        `${key} is not ${agentTexts.en.optionType(type)}, and is not used`,
        { severity: "warning", hint },
      ]);
    }
  }
  for (const { key, message, hint } of readCustomCommands(options["commands"]).faults) {
    report.add("bad_value", [...commandsPath, key], [message, { severity: "warning", part: "key", hint }]);
  }
}

function hintFor(key: string): string {
  const near = suggest(key, byKey.keys());
  return near === undefined ? `there are ${[...byKey.keys()].join(", ")}` : `did you mean "${near}"?`;
}
