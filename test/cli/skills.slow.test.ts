import { describe, expect, test } from "vitest";
import { folder, windlass } from "./windlass.ts";

const skill = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: Handles ${name} for people. Use when somebody asks for ${name}.\n${more}---\n\nDo it.\n`;

describe.concurrent("[C03] windlass skills", () => {
  test("lists skills, including invalid ones, and runs none of their code", async () => {
    const cwd = await folder({
      "windlass.yaml": "",
      "skills/pdf/SKILL.md": skill("pdf", "license: MIT\nallowed-tools: Read Bash(git:*)\n"),
      "skills/pdf/tool.ts": 'console.log("code ran");',
      "skills/manual/SKILL.md": skill("manual", "disable-model-invocation: true\n"),
      "skills/odd/SKILL.md": skill("Odd"),
      "skills/broken/SKILL.md": "# No front matter\n",
    });
    const [plain, json] = await Promise.all([
      windlass(["skills"], { cwd }),
      windlass(["skills", "list", "--json"], { cwd }),
    ]);
    expect(plain.code).toBe(0);
    expect(plain.stdout.split("\n").map((line) => line.slice(0, 24).trimEnd())).toEqual([
      "NAME    DESCRIPTION",
      "Odd     Handles Odd for",
      "manual  [manual only] Ha",
      "pdf     Handles pdf for",
      "broken  [broken] the fil",
      "",
    ]);
    expect(plain.stderr).toContain(
      "skills/pdf/tool.ts, skills/broken/SKILL.md, skills/odd/SKILL.md: have problems; for details: windlass skills validate",
    );
    expect(plain.stdout + plain.stderr + json.stderr).not.toContain("code ran");
    const listed = JSON.parse(json.stdout) as Record<string, unknown>[];
    expect(listed.map(({ name, valid }) => [name, valid])).toEqual([
      ["Odd", true],
      ["manual", true],
      ["pdf", true],
      ["broken", false],
    ]);
    expect(listed[2]).toEqual({
      name: "pdf",
      description: "Handles pdf for people. Use when somebody asks for pdf.",
      file: "skills/pdf/SKILL.md",
      license: "MIT",
      metadata: {},
      allowed_tools: ["Read", "Bash(git:*)"],
      hidden: false,
      code: ["skills/pdf/tool.ts"],
      valid: true,
      problems: [],
    });
    expect(listed[3]).toMatchObject({
      problems: [{ code: "no_front_matter", file: "skills/broken/SKILL.md" }],
    });
  });

  test("says so if there are none, and what to do about an unknown word", async () => {
    const cwd = await folder({ "windlass.yaml": "" });
    const [none, checked, word] = await Promise.all([
      windlass(["skills"], { cwd }),
      windlass(["skills", "validate"], { cwd }),
      windlass(["skills", "valdate"], { cwd }),
    ]);
    expect(none).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("No skills.") as string,
    });
    expect(checked).toMatchObject({ code: 0, stdout: "ok: 0 skills, no problems\n" });
    expect(word).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("windlass skills validate") as string,
    });
  });

  test("validate checks every rule of the format, with positions, and exits with 2", async () => {
    const cwd = await folder({
      "windlass.yaml": "",
      "skills/pdf/SKILL.md": skill("pdf"),
      "skills/odd/SKILL.md": skill("Odd", "licence: MIT\n"),
    });
    const [all, one, json, none] = await Promise.all([
      windlass(["skills", "validate"], { cwd }),
      windlass(["skills", "validate", "skills/pdf", "skills/pdf/SKILL.md"], { cwd }),
      windlass(["skills", "validate", "skills/odd", "--json"], { cwd }),
      windlass(["skills", "validate", "skills/nothing"], { cwd }),
    ]);
    expect(all).toMatchObject({ code: 2, stdout: "" });
    expect(all.stderr).toContain('skills/odd/SKILL.md:2:7: error: "name" must be in lower case');
    expect(all.stderr).toContain('did you mean "license"?');
    expect(one).toMatchObject({ code: 0, stdout: "ok: 1 skill, no problems\n", stderr: "" });
    expect(json.code).toBe(2);
    expect(
      (JSON.parse(json.stdout) as { code: string; file: string }[]).map(({ code, file }) => `${code} ${file}`),
    ).toEqual(["bad_name skills/odd/SKILL.md", "name_mismatch skills/odd/SKILL.md", "unknown_key skills/odd/SKILL.md"]);
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("folder not found") as string,
    });
  });

  test("validate knows built-in tools and chains that allowed-tools name", async () => {
    const cwd = await folder({
      "windlass.yaml": "skills: { trust_allowed_tools: true }\n",
      "chains/publish.yaml": "name: publish\nsteps:\n  - { id: a, tool: echo, params: { message: hi } }\n",
      "skills/notes/SKILL.md": skill(
        "notes",
        "allowed-tools: write_file read_file Read publish find_tools writ_file\n",
      ),
    });
    const { code, stdout, stderr } = await windlass(["validate"], { cwd });
    expect(code).toBe(0);
    const warnings = (stdout + stderr).split("\n").filter((line) => line.includes("allows nothing"));
    expect(warnings).toEqual([expect.stringContaining('"writ_file" of allowed-tools allows nothing')]);
    expect(warnings[0]).toContain('did you mean "write_file"?');
  });

  test("no command runs code next to skills unless windlass.yaml allows it; commands that list skills name it", async () => {
    const files = {
      "skills/pdf/SKILL.md": skill("pdf"),
      "skills/pdf/tools/convert.js": 'process.stderr.write(["code", "ran"].join(" "));',
      "skills/pdf/scripts/run.js": 'process.stderr.write(["code", "ran"].join(" "));',
    };
    const cwd = await folder({ "windlass.yaml": "", ...files });
    const naming = [["validate"], ["validate", "skills"], ["validate", "skills/pdf/tools/convert.js"], ["doctor"]];
    naming.push(["skills"], ["skills", "validate"]);
    for (const words of [["tools"], ["call", "echo", "message=hi"], ...naming]) {
      const { stdout, stderr, code } = await windlass(words, { cwd });
      const names = naming.includes(words) && (stdout + stderr).includes("skills/pdf/tools/convert.js");
      const ran = (stdout + stderr).includes("code ran");
      expect({ words, code, ran, names }).toEqual({ words, code: 0, ran: false, names: naming.includes(words) });
    }
    const allowed = await folder({ "windlass.yaml": "skills: { code: true }", ...files });
    const [called, listed, examined] = await Promise.all(
      [["call", "echo", "message=hi"], ["skills"], ["doctor"]].map((words) => windlass(words, { cwd: allowed })),
    );
    expect(called?.stderr).toBe("code ran");
    expect(listed?.stderr).toContain(
      "a trusted workspace loads the code next to skills, because of skills: { code: true }: skills/pdf/tools/convert.js",
    );
    expect(examined?.stdout).toContain("code next to them is loaded: skills/pdf/tools/convert.js");
  });
});
