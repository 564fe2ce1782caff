import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, test } from "vitest";
import { page } from "../scripts/docs/schema-pages.ts";
import { workspaceTable } from "../src/app/workspace-table.ts";
import { settingsIn } from "../src/cli/open/agent-session.ts";
import { flagsOf } from "../src/cli/program/command-spec.ts";
import { runnerTables } from "../src/agent/index.ts";
import {
  FileReport,
  type OptionsOf,
  type Setting,
  type SettingsTable,
  optionRule,
  settingsSchema,
  toOptions,
} from "../src/schema/index.ts";
import { parseYaml } from "../src/text/index.ts";

/** A table with one more setting, as the recipe of CONTRIBUTING.md adds it. */
const table = {
  maxKites: { type: "count", default: 3, flag: "N", about: "Maximum kites in the air." },
  windowMs: { type: "timeout", default: 30, about: "Time that a kite may stay in the air." },
  line: { type: "text", choices: ["silk", "nylon"], about: "Material of the line." },
} as const;

const file = "kites.yaml";
const schema = settingsSchema(table, "Kites.");

function problemsOf(source: string) {
  const report = new FileReport(source, file, parseYaml(source, { file }));
  report.check(parseYaml(source, { file }).value, schema, []);
  return report.problems;
}

describe("a setting is declared once, in a table", () => {
  test("that gives the type of its option, required if it has a default", () => {
    expectTypeOf<OptionsOf<typeof table>>().toEqualTypeOf<
      { readonly maxKites: number; readonly windowMs: number } & { readonly line?: "silk" | "nylon" }
    >();
  });

  test("that gives the default and the conversion of the file's value", () => {
    expect(toOptions(table)).toEqual({ maxKites: 3, windowMs: 30_000 });
    expect(toOptions(table, { max_kites: 5, window: 0.5, line: "silk" })).toEqual({
      maxKites: 5,
      windowMs: 500,
      line: "silk",
    });
  });

  test("that gives the JSON Schema", () => {
    expect(schema).toEqual({
      type: "object",
      description: "Kites.",
      additionalProperties: false,
      properties: {
        max_kites: { type: "integer", minimum: 1, description: "Maximum kites in the air. Default: 3." },
        window: {
          type: "number",
          exclusiveMinimum: 0,
          maximum: 86_400,
          description: "Time that a kite may stay in the air, in seconds. Default: 30.",
        },
        line: { enum: ["silk", "nylon"], description: "Material of the line." },
      },
    });
  });

  test("that gives the checks of a file, with position and suggestion, and of an option in code", () => {
    expect(problemsOf("max_kites: 2\nmax_kite: 2\n")).toMatchObject([
      { code: "unknown_key", file, line: 2, column: 1, hint: 'did you mean "max_kites"?' },
    ]);
    expect(problemsOf("line: nilon\nmax_kites: 0\n")).toMatchObject([
      { line: 1, column: 7, hint: 'did you mean "nylon"?' },
      { line: 2, column: 12, message: '"max_kites" must be at least 1, got 0' },
    ]);
    expect([1, 0, "1"].map(optionRule(table.maxKites).fits)).toEqual([true, false, false]);
    expect(optionRule(table.maxKites).expects).toBe("a whole number, 1 or more");
  });

  test("that gives the row of the reference", () => {
    expect(page("Kites", schema, "")).toContain(
      "| `max_kites` | whole number | Maximum kites in the air. Default: 3. |\n",
    );
  });

  test("that gives the command-line flag and its help", () => {
    const about = "maximum kites in the air (default: from windlass.yaml, or 3)";
    expect(flagsOf(table)).toEqual([{ flags: "--max-kites N", about, min: 1, whole: true }]);
    const invocation = { text: () => undefined, number: (name: string) => (name === "maxKites" ? 7 : undefined) };
    expect(settingsIn(invocation, table)).toEqual({ maxKites: 7 });
  });
});

const attributes: Readonly<Record<keyof Setting, true>> = {
  type: true,
  about: true,
  key: true,
  default: true,
  defaultText: true,
  required: true,
  min: true,
  above: true,
  max: true,
  below: true,
  choices: true,
  of: true,
  forms: true,
  title: true,
  hint: true,
  settings: true,
  format: true,
  contents: true,
  tools: true,
  needsTrust: true,
  flag: true,
  variable: true,
};

/** All settings of a table, also those inside others, by their names. */
function settingsOf(of: SettingsTable, at: string): [string, Setting][] {
  return Object.entries(of).flatMap(([name, setting]) => [
    [`${at}${name}`, setting],
    ...insideOf(setting, `${at}${name}.`),
  ]);
}

function insideOf(setting: Setting, at: string): [string, Setting][] {
  const forms = [...(setting.forms ?? []), ...(setting.of === undefined ? [] : [setting.of])];
  return [...settingsOf(setting.settings ?? {}, at), ...forms.flatMap((form) => insideOf(form, at))];
}

const all = [
  ...settingsOf(workspaceTable, ""),
  ...Object.entries(runnerTables).flatMap(([runner, of]) => settingsOf(of, `${runner}.`)),
];

test("settings have only known attributes, and a meaning as a sentence", () => {
  expect(all.length).toBeGreaterThan(120);
  const unknown = all.flatMap(([name, setting]) =>
    Object.keys(setting).flatMap((key) => (Object.hasOwn(attributes, key) ? [] : [`${name}: ${key}`])),
  );
  expect(unknown).toEqual([]);
  const inner = new Set(["secrets.env", "secrets.file"]);
  expect(all.filter(([name, { about = "" }]) => !inner.has(name) && !/^[A-Za-z'].*\.$/s.test(about))).toEqual([]);
});

test("the guide has the defaults of the settings of agents", () => {
  const guide = readFileSync("docs/guide/agents.md", "utf8");
  const rows = [...guide.matchAll(/^\| `(\w+)`, `(\w+)` \| ([\d,]+|none) \|/gm)];
  const { settings } = workspaceTable.agent;
  const defaults = new Map(Object.entries<Setting>(settings).map(([name, setting]) => [name, setting.default]));
  expect(rows.length).toBeGreaterThan(5);
  for (const [, name = "", , shown = ""] of rows) {
    expect([name, Number(shown.replace(",", "")) || undefined]).toEqual([name, defaults.get(name)]);
  }
});

test("editors show the meaning of an option: its declaration in the package has it as a comment", () => {
  const declared = readFileSync("dist/types/agent/run/agent-spec.d.ts", "utf8");
  expect(declared).toMatch(
    /\/\*\* Maximum rounds of tool calls before the model must answer\. \*\/\n\s+readonly maxRounds: \{/,
  );
});
