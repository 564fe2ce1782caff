import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ValidatedSkill, validateSkill, validateSkills } from "./validate-skill.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "windlass-validate-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const described = "description: Extracts text from PDF files and fills forms. Use when somebody mentions PDFs.";
const good = (name: string, more = ""): string => `---\nname: ${name}\n${described}\n${more}---\n\n# Steps\n\nDo it.\n`;

function write(name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), content);
}

async function check(folder: string, content: string | Uint8Array): Promise<ValidatedSkill> {
  write(`${folder}/SKILL.md`, content);
  return await validateSkill(join(root, folder));
}

const reported = ({ problems }: ValidatedSkill): string[] =>
  problems.map(({ severity, code, line, column }) => `${severity} ${code} ${line}:${column}`);

describe("everything that the format allows is valid", () => {
  test.each([
    ["pdf-processing", good("pdf-processing")],
    [
      "everything",
      good(
        "everything",
        'license: Apache-2.0\ncompatibility: Requires git\nmetadata:\n  version: "1.0"\nallowed-tools: Bash(git:*) Bash(jq:*) Read\n',
      ),
    ],
    ["3d", good("3d")],
    ["技能", good("技能")],
    ["a".repeat(64), good("a".repeat(64))],
    ["crlf", good("crlf").replaceAll("\n", "\r\n")],
    ["exact", `---\nname: exact\ndescription: ${"d".repeat(1_024)}\ncompatibility: ${"c".repeat(500)}\n---\nGo.\n`],
  ])("%s", async (folder, content) => {
    expect(reported(await check(folder, content))).toEqual([]);
  });
});

type Case = [what: string, folder: string, content: string | Uint8Array, expected: string[]];

describe("everything that the format forbids is an error at its position", () => {
  test.each<Case>([
    ["upper case", "PDF-Processing", good("PDF-Processing"), ["error bad_name 2:7"]],
    ["a hyphen at the start", "-pdf", good("-pdf"), ["error bad_name 2:7"]],
    ["a hyphen at the end", "pdf-", good("pdf-"), ["error bad_name 2:7"]],
    ["two hyphens", "pdf--processing", good("pdf--processing"), ["error bad_name 2:7"]],
    ["an underscore", "a_b", good("a_b"), ["error bad_name 2:7"]],
    ["65 characters", "a".repeat(65), good("a".repeat(65)), ["error too_long 2:7"]],
    ["another name than the folder", "pdf", good("other"), ["error name_mismatch 2:7"]],
    ["no name", "pdf", `---\n${described}\n---\nGo.\n`, ["error missing_key 2:1"]],
    ["no description", "pdf", "---\nname: pdf\n---\nGo.\n", ["error missing_key 2:1"]],
    ["an empty description", "pdf", '---\nname: pdf\ndescription: ""\n---\nGo.\n', ["error bad_value 3:14"]],
    [
      "a description of 1,025 characters",
      "pdf",
      `---\nname: pdf\ndescription: ${"d".repeat(1_025)}\n---\nGo.\n`,
      ["error too_long 3:14"],
    ],
    [
      "a compatibility of 501 characters",
      "pdf",
      good("pdf", `compatibility: ${"c".repeat(501)}\n`),
      ["error too_long 4:16"],
    ],
    ["a license that is no text", "pdf", good("pdf", "license: [MIT]\n"), ["error wrong_type 4:10"]],
    ["metadata that is no map", "pdf", good("pdf", "metadata: x\n"), ["error wrong_type 4:11"]],
    ["a number in metadata", "pdf", good("pdf", "metadata:\n  version: 2\n"), ["error wrong_type 5:12"]],
    ["a list of tools", "pdf", good("pdf", "allowed-tools: [Read]\n"), ["error wrong_type 4:16"]],
    ["commas between tools", "pdf", good("pdf", "allowed-tools: Read, Grep\n"), ["error bad_value 4:16"]],
    ["an open parenthesis", "pdf", good("pdf", "allowed-tools: Bash(git\n"), ["error bad_value 4:16"]],
    ["an unknown key", "pdf", good("pdf", "licence: MIT\n"), ["error unknown_key 4:1"]],
    ["a key of another agent", "pdf", good("pdf", "disable-model-invocation: true\n"), ["error unknown_key 4:1"]],
    ["no YAML", "pdf", "---\nname: pdf\ndescription: Use it when: asked\n---\nGo.\n", ["error yaml_syntax 3:14"]],
    ["a byte order mark", "pdf", `\ufeff${good("pdf")}`, ["error byte_order_mark 2:1"]],
    ["no front matter", "pdf", "# Title\n", ["error no_front_matter 1:1"]],
    ["no end of it", "pdf", "---\nname: pdf\n", ["error unclosed_front_matter 1:1"]],
    [
      "hidden text in the description",
      "pdf",
      "---\nname: pdf\ndescription: Reads\u200b a lot of files, when somebody asks for it\n---\nGo.\n",
      ["error hidden_text 3:19"],
    ],
    [
      "hidden text in the instructions",
      "pdf",
      good("pdf").replace("Do it.", "Do\u202e it."),
      ["error hidden_text 8:3"],
    ],
    ["no UTF-8", "pdf", Buffer.from(good("pdf").replace("Do it.", "\xe9"), "latin1"), ["error not_utf8 1:1"]],
  ])("%s", async (_what, folder, ...[content, expected]) => {
    const checked = await check(folder, content);
    expect(reported(checked)).toEqual(expected);
    expect(checked.valid).toBe(false);
  });

  test("a hint shows what to write", async () => {
    const hints = (checked: ValidatedSkill): (string | undefined)[] => checked.problems.map(({ hint }) => hint);
    expect(hints(await check("PDF Tools", good("PDF Tools")))).toEqual(["write: pdf-tools"]);
    expect(hints(await check("pdf", good("pdf", "licence: MIT\n")))).toEqual(['did you mean "license"?']);
    expect(hints(await check("pdf", good("pdf", "allowed-tools: Read, Grep\n")))).toEqual(["write: Read Grep"]);
    expect(hints(await check("pdf", good("pdf", "model: opus\n")))).toEqual(["put it under metadata, as text"]);
  });

  test("a file of another name, a folder without one, no folder, and a link that leads out", async () => {
    write("lower/skill.md", good("lower"));
    write("empty/README.md", "x");
    write("borrowed/README.md", "x");
    symlinkSync(join(root, "lower/skill.md"), join(root, "borrowed/SKILL.md"));
    expect(reported(await validateSkill(join(root, "lower")))).toEqual(["error bad_file_name 2:1"]);
    expect(reported(await validateSkill(join(root, "empty")))).toEqual(["error no_skill 1:1"]);
    expect(reported(await validateSkill(join(root, "nowhere")))).toEqual(["error not_a_folder 1:1"]);
    expect(reported(await validateSkill(join(root, "empty/README.md")))).toEqual(["error not_a_folder 1:1"]);
    expect(reported(await validateSkill(join(root, "borrowed")))).toEqual(["error outside_skill 1:1"]);
  });
});

describe("everything that the format advises against is a warning", () => {
  test.each([
    [
      "a short description",
      "---\nname: pdf\ndescription: Helps with PDFs.\n---\nGo.\n",
      ["warning short_description 3:14"],
    ],
    ["no instructions", `---\nname: pdf\n${described}\n---\n`, ["warning no_instructions 1:1"]],
    ["more than 500 lines", good("pdf") + "line\n".repeat(500), ["warning long_instructions 1:1"]],
    ["more than 5,000 tokens", `${good("pdf")}${"word ".repeat(5_000)}\n`, ["warning long_instructions 1:1"]],
    [
      "links to nothing and out of the folder",
      `${good("pdf")}[a](references/a.md) [gone](references/gone.md#x) ![out](../out.png) [web](https://example.com) [here](#steps)\n\`[code](none.md)\`\n\n\`\`\`md\n[code](none.md)\n\`\`\`\n`,
      ["warning broken_link 9:29", "warning broken_link 9:58"],
    ],
  ])("%s", async (_what, content, expected) => {
    write("pdf/references/a.md", "a");
    const checked = await check("pdf", content);
    expect(reported(checked)).toEqual(expected);
    expect(checked.valid).toBe(true);
  });
});

describe("a path may name", () => {
  const valid = async (path: string): Promise<boolean[]> =>
    (await validateSkills(join(root, path), root)).skills.map((each) => each.valid);

  test("a skill, its file, or a folder of skills", async () => {
    write("skills/pdf/SKILL.md", good("pdf"));
    write("skills/group/bad/SKILL.md", good("worse"));
    expect(await valid("skills/pdf")).toEqual([true]);
    expect(await valid("skills/pdf/SKILL.md")).toEqual([true]);
    expect(await valid("skills/group/bad")).toEqual([false]);
    expect(await valid("skills")).toEqual([false, true]);
    expect(await valid(".")).toEqual([false, true]);
  });

  test("a folder in which some are broken in ways that keep them from being found", async () => {
    write("skills/pdf/SKILL.md", good("pdf"));
    write("skills/empty/README.md", "x");
    symlinkSync(tmpdir(), join(root, "skills/out"));
    const { problems } = await validateSkills(join(root, "skills"), root);
    expect(problems).toMatchObject([
      { severity: "warning", code: "no_skill", file: join(root, "skills/empty") },
      { severity: "error", code: "outside_workspace", file: join(root, "skills/out") },
    ]);
  });

  test("nothing: then that is the problem", async () => {
    write("other/README.md", "x");
    expect(await validateSkills(join(root, "other"), root)).toMatchObject({
      skills: [],
      problems: [{ severity: "error", code: "no_skill" }],
    });
  });
});
