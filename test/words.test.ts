import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compareBaseline } from "../scripts/words/compare-baseline.ts";
import { findWords } from "../scripts/words/find-words.ts";
import { identifierRules, textRules } from "../scripts/words/word-rules.ts";

const fixtures = "test/fixtures/words";
const code = ["banned.ts", "kinds-of-names.txt"].flatMap((file) =>
  readFileSync(`${fixtures}/${file}`, "utf8").split("\n"),
);
const document = readFileSync(`${fixtures}/banned.md`, "utf8").split("\n");

/** The lines of a fixture with the id of the rule that each of them breaks, written behind `//` or in a table cell. */
const samples = [
  ...code.flatMap((line) => {
    const [, sample = "", rule = ""] = /^(.*\S) \/\/ rule: ([\w-]+)$/.exec(line) ?? [];
    return sample === "" ? [] : [{ rule, file: "src/sample.ts", sample }];
  }),
  ...document.flatMap((line) => {
    const [, rule = "", sample = ""] = /^\| ([\w-]+) \| (.+) \|$/.exec(line) ?? [];
    return sample === "" || rule === "---" || rule === "rule" ? [] : [{ rule, file: "docs/sample.md", sample }];
  }),
  ...document.flatMap((line) => {
    const [, rule = "", sample = ""] = /^- ([\w-]+): (.+)$/.exec(line) ?? [];
    return sample === "" ? [] : [{ rule, file: "src/sample.ts", sample: `/** ${sample} */` }];
  }),
];

function rulesIn(file: string, source: string): string[] {
  return findWords(file, source).map(({ rule }) => rule.id);
}

describe("the word check", () => {
  test.each(samples)("reports $rule once in: $sample", ({ rule, file, sample }) => {
    expect(rulesIn(file, sample).filter((id) => id === rule)).toHaveLength(1);
  });

  test("every rule has its own id, and a banned form in the fixtures", () => {
    const rules = [...identifierRules, ...textRules].map(({ id }) => id);
    expect(rules).toEqual([...new Set(rules)]);
    expect(new Set(samples.map(({ rule }) => rule))).toEqual(new Set(rules));
  });

  test("names of permission rules, of other modules and of parts of words, code and links are allowed", () => {
    const allowed = [
      "interface PermissionRules { readonly deny?: string; readonly ask?: string }",
      'const rules = { permissions: { ask: ["model:*"] } }; const { deny, ask = [] } = rules;',
      'import { told } from "./other.ts"; const { told: reported } = other; const again = { told };',
      "const inFlight = 1; const placeholder = 2; const outermost = 3;",
      'const permission = "ask";',
      "/** See {@link whoever} and `told`. */",
    ];
    expect(rulesIn("src/sample.ts", allowed.join("\n"))).toEqual([]);
    expect(rulesIn("docs/sample.md", "Run `windlass ask`.\n\n```ts\nconst told = 1;\n```\n")).toEqual([]);
  });

  test("a sentence that is broken between lines is one sentence", () => {
    const comment = "/**\n * The timeout is 4 where\n * absent.\n */";
    expect(findWords("src/sample.ts", comment)).toMatchObject([{ rule: { id: "absent" }, line: 2 }]);
  });

  test.each(["src/agent/told-again.test.ts", "src/told/again.ts", "examples/told.yaml", "docs/what-was-told.md"])(
    "reports the file name %s",
    (file) => {
      expect(findWords(file, "")).toMatchObject([{ rule: { id: "told-name" }, line: 0 }]);
    },
  );

  test("of the strings of a test, only titles are checked; of other folders, all strings", () => {
    const source = 'test(`it is told ${name}`, () => send("told"));';
    expect(rulesIn("src/sample.test.ts", source)).toEqual(["told"]);
    expect(rulesIn("test/sample.ts", source)).toEqual(["told"]);
    expect(rulesIn("examples/sample.ts", source)).toEqual(["told", "told"]);
  });

  test("the program lists the findings of the named paths, and fails", () => {
    const run = (...args: string[]) => spawnSync(process.execPath, ["scripts/words.ts", ...args], { encoding: "utf8" });
    const banned = run(fixtures);
    expect(banned.status).toBe(1);
    expect(banned.stdout).toContain(`${fixtures}/banned.ts:2 told-name: "told"; use: replayed`);
    expect(banned.stdout).toContain(`${fixtures}/banned.md:9 told: `);
    expect(run("scripts/words.ts")).toMatchObject({ status: 0, stdout: "1 files, 0 errors, 0 warnings\n" });
  });

  test("the baseline is never raised, and has to be lowered", () => {
    expect(compareBaseline({ same: 2, more: 3, fewer: 1, fresh: 1 }, { same: 2, more: 2, fewer: 4, gone: 1 })).toEqual({
      grown: [expect.stringMatching(/^fresh: 1 warnings/), expect.stringMatching(/^more: 3 warnings/)],
      fallen: [
        expect.stringMatching(/^fewer: 1 warnings.*npm run words -- --update$/),
        expect.stringMatching(/^gone: 0 warnings/),
      ],
      lowered: { fewer: 1, more: 2, same: 2 },
    });
  });
});
