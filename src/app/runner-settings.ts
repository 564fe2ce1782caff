import { readCustomCommands, readRunnerOption, runnerTables } from "../agent/index.ts";
import { type FileReport, type Setting, isRecord, optionRule, settingKey } from "../schema/index.ts";
import { quoteText, suggestHint } from "../text/index.ts";

/** Path of the runner options. */
const optionsPath: readonly string[] = ["agent", "options"];

/** Path of the custom commands. */
export const commandsPath: readonly string[] = [...optionsPath, "commands"];

/** By the names of the options in code. */
const byName: ReadonlyMap<string, Setting> = new Map(
  Object.values(runnerTables).flatMap((table) => Object.entries(table)),
);
/** The names of the options in code, by their keys in the file. */
const names: ReadonlyMap<string, string> = new Map(
  [...byName].map(([name, setting]) => [settingKey(name, setting), name]),
);

function keyOf(name: string): string {
  return settingKey(name, { type: "text" });
}

/** Converts the options in the file. Unknown keys stay unchanged: a custom runner may use them. */
export function toRunnerOptions(file: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(file).flatMap(([key, value]) => {
      const name = names.get(key);
      // Written as the runner knows it, it counts unless it is also there as it should be.
      const isTwice = name === undefined && byName.has(key) && hasKey(file, keyOf(key));
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
    const right = names.has(key) ? key : keyOf(key);
    const setting = byName.get(names.get(key) ?? key);
    if (setting === undefined) {
      const message = `no runner has an option ${quoteText(key)}`;
      report.add("unknown_key", path, [message, { severity: "warning", part: "key", hint: hintFor(key) }]);
      continue;
    }
    if (right !== key) {
      const used = hasKey(options, right) ? `${right} is used instead of ${key}` : `${key} is the old name`;
      report.add("unknown_key", path, [used, { severity: "warning", part: "key", hint: `write ${right}` }]);
    }
    if (value !== null && readRunnerOption(setting, value) === undefined) {
      const message = `${key} is not ${optionRule(setting).expects}, and is not used`;
      report.add("bad_value", path, [message, { severity: "warning", hint: setting.hint }]);
    }
  }
  for (const { key, message, hint } of readCustomCommands(options["commands"]).faults) {
    report.add("bad_value", [...commandsPath, key], [message, { severity: "warning", part: "key", hint }]);
  }
}

function hintFor(key: string): string {
  return suggestHint(key, names.keys()) ?? `there are ${[...names.keys()].join(", ")}`;
}
