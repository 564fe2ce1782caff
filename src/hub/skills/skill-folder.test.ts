import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open as openFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Engine, createEngine } from "../../engine/index.ts";
import { formatProblem, hasErrors } from "../../text/index.ts";
import { type ToolResult, ToolRegistry, defineTool } from "../../tool/index.ts";
import type { ToolFolderEvent } from "../tool-folder/folder-event-emitter.ts";
import { type SkillFolder, type SkillFolderOptions, createSkillFolder } from "./skill-folder.ts";

const toolIndex = pathToFileURL(join(import.meta.dirname, "..", "..", "tool", "index.ts")).href;
const executors = new ToolRegistry();
executors.register(defineTool({ name: "echo", description: "Gives back", effect: "pure", run: (args) => args }));

let root: string;
let registry: ToolRegistry;
let engine: Engine;
let events: ToolFolderEvent[];
let folder: SkillFolder;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "windlass-skills-"));
  mkdirSync(join(root, "skills"));
  registry = new ToolRegistry();
  engine = createEngine({ registry });
  events = [];
});

afterEach(async () => {
  await folder.close();
  await engine.close();
  rmSync(root, { recursive: true, force: true });
});

function open(over: Partial<SkillFolderOptions> = {}): SkillFolder {
  folder = createSkillFolder({
    dir: join(root, "skills"),
    root,
    registry,
    executors,
    onEvent: (event) => void events.push(event),
    ...over,
  });
  return folder;
}

function write(name: string, content: string | Uint8Array): void {
  const path = join(root, "skills", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}~`, content);
  renameSync(`${path}~`, path);
}

const head = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: Handles ${name} things with care. Use when somebody wants ${name}.\n${more}---\n`;
const skill = (name: string, body = `# How to ${name}\n\nDo it well.\n`): string => `${head(name)}\n${body}`;

const code = (name: string): string =>
  `import { defineTool } from ${JSON.stringify(toolIndex)};
export const tool = defineTool({ name: "${name}", description: "d", effect: "pure", run: (): string => "${name} ran" });\n`;

const yamlTool = (name: string): string => `name: ${name}\ndescription: d\nentry: { type: builtin, handler: echo }\n`;

const names = (): string[] => folder.skills().map(({ name }) => name);
const codes = (): string[] => folder.problems().map(({ code: word, file }) => `${word} ${file}`);
const reported = (): string[] => events.map((event) => ("tool" in event ? `${event.type} ${event.tool}` : event.type));

function outputOf(result: ToolResult): Record<string, unknown> {
  if (!result.success) throw new Error(result.error.message);
  return result.output as Record<string, unknown>;
}

function reasonOf(result: ToolResult): string | undefined {
  return result.success ? "it went through" : result.error.reason;
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 25));
  expect(condition()).toBe(true);
}

interface Read {
  readonly file: string;
  readonly from: number;
  readonly bytes: number;
}

/** Every read of a file in the workspace through a handle, as the system carried it out. */
async function traced<T>(work: () => Promise<T>): Promise<{ result: T; reads: Read[] }> {
  const reads: Read[] = [];
  const sample = await openFile(import.meta.filename);
  const prototype = Object.getPrototypeOf(sample) as FileHandle;
  await sample.close();
  const original = Object.getOwnPropertyDescriptor(prototype, "read");
  if (original === undefined) throw new Error("handles cannot read");
  Object.defineProperty(prototype, "read", {
    ...original,
    async value(this: FileHandle, ...input: unknown[]) {
      const file = readlinkSync(`/proc/self/fd/${this.fd}`);
      const done = (await Reflect.apply(original.value as () => unknown, this, input)) as { bytesRead: number };
      reads.push({ file, from: Number(input[3] ?? 0), bytes: done.bytesRead });
      return done;
    },
  });
  try {
    return { result: await work(), reads: reads.filter(({ file }) => file.startsWith(root)) };
  } finally {
    Object.defineProperty(prototype, "read", original);
  }
}

describe("[C03] a folder of fifty skills", () => {
  /** Expected verdict for each: loaded, loaded with a warning, or refused. */
  const corpus: readonly (readonly [verdict: "loaded" | "warned" | "refused", path: string, text: string | Buffer])[] =
    [
      ...Array.from({ length: 20 }, (_item, at) => {
        const name = `generated-${at + 1}`;
        return ["loaded", `${name}/SKILL.md`, skill(name, `# ${name}\n\n${"Step.\n".repeat(at * 50)}`)] as const;
      }),
      ["loaded", "minimal/SKILL.md", "---\nname: minimal\ndescription: A description of what this does.\n---\n"],
      ["loaded", "no-newline/SKILL.md", "---\nname: no-newline\ndescription: Ends at once.\n---"],
      ["loaded", "windows/SKILL.md", skill("windows").replaceAll("\n", "\r\n")],
      [
        "loaded",
        "中文技能/SKILL.md",
        "---\nname: 中文技能\ndescription: 处理中文文档。用户提到文档时使用。\n---\n# 说明\n",
      ],
      ["loaded", "3d-models/SKILL.md", skill("3d-models")],
      ["loaded", "folded/SKILL.md", "---\nname: folded\ndescription: >-\n  Over\n  two lines.\n---\n"],
      [
        "loaded",
        "everything/SKILL.md",
        `${head("everything", 'license: MIT\ncompatibility: Needs git\nmetadata:\n  author: me\n  version: "1.0"\nallowed-tools: Bash(git:*) Read\n')}Go.\n`,
      ],
      ["loaded", "group/inner/SKILL.md", skill("inner")],
      ["loaded", "manual/SKILL.md", `${head("manual", "disable-model-invocation: true\n")}By hand.\n`],
      ["warned", "other-folder/SKILL.md", skill("other-name")],
      ["warned", "Upper/SKILL.md", skill("Upper")],
      ["warned", "two--hyphens/SKILL.md", skill("two--hyphens")],
      ["warned", "my skill/SKILL.md", skill("my skill")],
      ["warned", "nameless/SKILL.md", "---\ndescription: It has no name of its own.\n---\n"],
      ["warned", `${"long-".repeat(14)}name/SKILL.md`, skill(`${"long-".repeat(14)}name`)],
      ["warned", "wordy/SKILL.md", `---\nname: wordy\ndescription: ${"Many words. ".repeat(200)}\n---\n`],
      ["warned", "colon/SKILL.md", "---\nname: colon\ndescription: Use this when: somebody asks\n---\n"],
      ["warned", "foreign/SKILL.md", `${head("foreign", "model: opus\nallowed-tools: Read, Grep\n")}x\n`],
      ["warned", "numbers/SKILL.md", `${head("numbers", "metadata:\n  version: 2\n  nested: { a: 1 }\n")}x\n`],
      ["warned", "lower/skill.md", skill("lower")],
      ["warned", "marked/SKILL.md", `\ufeff${skill("marked")}`],
      ["refused", "no-front/SKILL.md", "# Just text\n"],
      ["refused", "unclosed/SKILL.md", "---\nname: unclosed\ndescription: Never ends.\n\n# Text\n"],
      ["refused", "undescribed/SKILL.md", "---\nname: undescribed\n---\n"],
      ["refused", "blank/SKILL.md", '---\nname: blank\ndescription: "  "\n---\n'],
      ["refused", "no-yaml/SKILL.md", "---\nname: [no\n\tdescription: }{\n---\n"],
      ["refused", "list/SKILL.md", "---\n- name\n- description\n---\n"],
      ["refused", "turned/SKILL.md", "---\nname: turned\ndescription: Reads \u202eecilam.\n---\n"],
      ["refused", "huge/SKILL.md", `${skill("huge")}${"x".repeat(1_100_000)}`],
      ["refused", "latin/SKILL.md", Buffer.from("---\nname: latin\ndescription: caf\xe9\n---\n", "latin1")],
    ];

  test("each is loaded, loaded with a warning or refused according to the format", async () => {
    expect(corpus).toHaveLength(50);
    for (const [, path, text] of corpus) write(path, text);
    await open().load();
    const verdicts = corpus.map(([, path]) => {
      const file = `skills/${path}`;
      const problems = folder.problems().filter((problem) => problem.file === file);
      const isUsed = folder.skills().some((each) => each.file === file);
      if (hasErrors(problems) === isUsed) throw new Error(`${file}: ${JSON.stringify(problems)}`);
      return [isUsed ? (problems.length === 0 ? "loaded" : "warned") : "refused", path];
    });
    expect(verdicts).toEqual(corpus.map(([verdict, path]) => [verdict, path]));
    expect(
      Object.fromEntries(
        Map.groupBy(verdicts, ([verdict]) => verdict)
          .entries()
          .map(([k, v]) => [k, v.length]),
      ),
    ).toEqual({ loaded: 29, warned: 12, refused: 9 });
    // There are no other problems, and each has its position.
    expect(new Set(folder.problems().map(({ file }) => file)).size).toBe(12 + 9);
    for (const problem of folder.problems())
      expect(formatProblem(problem)).toMatch(/^skills\/.*SKILL\.md:\d+:\d+|skill\.md:\d+/i);
  });

  test("a repaired front matter is used as intended", async () => {
    for (const [verdict, path, text] of corpus) if (verdict === "warned") write(path, text);
    await open().load();
    expect(names()).toEqual(
      [
        "Upper",
        "colon",
        "foreign",
        `${"long-".repeat(14)}name`,
        "lower",
        "marked",
        "my-skill",
        "nameless",
        "numbers",
        "other-name",
        "two--hyphens",
        "wordy",
      ].toSorted(),
    );
    expect(folder.skill("colon")?.description).toBe("Use this when: somebody asks");
    expect(folder.skill("wordy")?.description.length).toBeLessThanOrEqual(1_024);
    expect(folder.skill("wordy")?.description).toMatch(/words\.$/);
    expect(folder.skill("numbers")?.metadata).toEqual({ version: "2" });
    expect(folder.skill("foreign")?.allowedTools.map(({ text }) => text)).toEqual(["Read", "Grep"]);
  });

  test.runIf(process.platform === "linux")(
    "only front matter is read when loading, and instructions when they are used: a trace of the reads",
    async () => {
      for (const [, path, text] of corpus) write(path, text);
      const long = "Line of instructions.\n".repeat(20_000);
      write("generated-1/SKILL.md", `${head("generated-1")}${long}`);
      write("generated-1/references/more.md", "more");
      const loading = await traced(() => open().load());
      const byFile = Map.groupBy(loading.reads, ({ file }) => file);
      expect(byFile.size).toBeGreaterThan(45);
      expect([...byFile.keys()].every((file) => /skill\.md$/i.test(file))).toBe(true);
      const read = byFile.get(join(root, "skills/generated-1/SKILL.md")) ?? [];
      expect(read).toEqual([{ file: expect.any(String) as string, from: 0, bytes: 1_024 }]);
      // A file that is refused for its size is not read at all.
      expect(byFile.has(join(root, "skills/huge/SKILL.md"))).toBe(false);

      const again = await traced(() => folder.reload());
      expect(again.reads.filter(({ bytes }) => bytes > 0).map(({ file }) => basename(dirname(file)))).toEqual([]);

      const using = await traced(() => engine.call("skill", { name: "generated-1" }));
      expect(using.result.success).toBe(true);
      expect([...new Set(using.reads.map(({ file }) => file))]).toEqual([join(root, "skills/generated-1/SKILL.md")]);
      expect(using.reads.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(long.length);
      const file = await traced(() => engine.call("skill_read", { skill: "generated-1", path: "references/more.md" }));
      expect([...new Set(file.reads.map(({ file: path }) => basename(path)))]).toEqual(["more.md"]);
    },
  );
});

describe("[C03] using skills", () => {
  test("a skill is a tool of the source skills, by its full name and, if it is free, by its short one", async () => {
    write("pdf/SKILL.md", skill("pdf"));
    write("3d-models/SKILL.md", skill("3d-models"));
    const change = await open().load();
    expect(change).toEqual({
      added: ["skill", "skill_read", "skills/3d-models", "skills/pdf"],
      updated: [],
      removed: [],
      errors: 0,
    });
    expect(registry.resolve("pdf")).toMatchObject({ source: "skills", priority: 1, owner: join(root, "skills") });
    expect(registry.resolve("pdf")?.tool).toMatchObject({ name: "skills/pdf", effect: "read", destructive: false });
    expect(folder.fileOf("skills/pdf")).toBe("skills/pdf/SKILL.md");
    const result = await engine.call("pdf", { task: "read a form" });
    expect(outputOf(result)).toEqual({
      skill: "pdf",
      instructions: "# How to pdf\n\nDo it well.",
      folder: "skills/pdf",
      files: [],
      task: "read a form",
    });
    expect(result.meta.source).toBe("skills");
    expect(outputOf(await engine.call("skills/3d-models", {}))).toMatchObject({ skill: "3d-models" });
  });

  test("a skill never replaces a tool of the same name", async () => {
    write("calculator/SKILL.md", skill("calculator"));
    registry.register(defineTool({ name: "calculator", description: "Adds", effect: "pure", run: () => 4 }));
    await open().load();
    expect(registry.candidates("calculator")).toHaveLength(1);
    expect(await engine.call("calculator", {})).toMatchObject({ success: true, output: 4 });
    expect(outputOf(await engine.call("skill", { name: "calculator" }))["skill"]).toBe("calculator");
    expect(registry.get("skills/calculator")?.capabilities).toEqual(["instructions"]);
  });

  test("without skills there are no tools for skills, and no events", async () => {
    rmSync(join(root, "skills"), { recursive: true });
    expect(await open().load()).toEqual({ added: [], updated: [], removed: [], errors: 0 });
    expect(registry.size).toBe(0);
    expect(folder.problems()).toEqual([]);
    expect(folder.catalogue()).toBe("");
  });

  test("files are listed, not read, and read one by one", async () => {
    write("pdf/SKILL.md", skill("pdf", "See [forms](references/forms.md)."));
    write("pdf/references/forms.md", "# Forms\n");
    write("pdf/scripts/fill.py", "print(1)\n");
    write("pdf/assets/logo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]));
    write("pdf/node_modules/x/index.js", "x");
    write("pdf/.hidden", "x");
    await open().load();
    const { files } = outputOf(await engine.call("skill", { name: "pdf" }));
    expect(files).toEqual(["assets/logo.png", "references/forms.md", "scripts/fill.py"]);
    expect(outputOf(await engine.call("skill_read", { skill: "pdf", path: "references/forms.md" }))).toEqual({
      skill: "pdf",
      path: "references/forms.md",
      size: 8,
      content: "# Forms\n",
    });
    const image = await engine.call("skill_read", { skill: "pdf", path: "assets/logo.png" });
    expect(image).toMatchObject({
      success: true,
      output: { mime_type: "image/png", size: 7 },
      attachments: [{ kind: "image", mimeType: "image/png", name: "assets/logo.png" }],
    });
  });

  test("long instructions are returned in parts that end with a line and together are complete", async () => {
    const lines = Array.from({ length: 3_000 }, (_item, at) => `${at}: 中文 and 😀 text`).join("\n");
    write("long/SKILL.md", `${head("long")}\n${lines}`);
    await open({ limits: { instructionChars: 5_000 } }).load();
    const first = outputOf(await engine.call("long", {})) as { instructions: string; note: string };
    expect(first.instructions.length).toBeLessThanOrEqual(5_000);
    const next = /skill_read with (\{.*\})\./.exec(first.note)?.[1] ?? "";
    let text = `${first.instructions}\n`;
    let args = JSON.parse(next) as { skill: string; path: string; offset: number } | undefined;
    while (args !== undefined) {
      const part = outputOf(await engine.call("skill_read", args)) as { content: string; next_offset?: number };
      expect(part.content.isWellFormed()).toBe(true);
      text += part.content;
      args = part.next_offset === undefined ? undefined : { ...args, offset: part.next_offset };
    }
    expect(text).toBe(lines);
  });

  test("a hidden skill is loaded by name and listed nowhere", async () => {
    write("manual/SKILL.md", `${head("manual", "disable-model-invocation: true\n")}By hand.\n`);
    write("pdf/SKILL.md", skill("pdf"));
    await open().load();
    expect(folder.catalogue()).not.toContain("manual");
    expect(registry.has("manual")).toBe(false);
    expect(outputOf(await engine.call("skill", {}))).toEqual({
      skills: [{ name: "pdf", description: folder.skill("pdf")?.description }],
    });
    expect(outputOf(await engine.call("skill", { name: "manual" }))["instructions"]).toBe("By hand.");
  });

  test("the list has pages", async () => {
    for (let at = 100; at < 220; at++) write(`s-${at}/SKILL.md`, skill(`s-${at}`));
    await open().load();
    const seen: string[] = [];
    for (let after: string | undefined = ""; after !== undefined;) {
      const page = outputOf(await engine.call("skill", { after })) as { skills: { name: string }[]; next?: string };
      seen.push(...page.skills.map(({ name }) => name));
      after = page.next;
    }
    expect(seen).toEqual(names());
  });

  test("a name that is nearly right is put right, with the reason unknown_skill", async () => {
    write("weekly-report/SKILL.md", skill("weekly-report"));
    await open().load();
    const result = await engine.call("skill", { name: "weekly_reprot" });
    expect(result).toMatchObject({ success: false, error: { code: "validation_error", reason: "unknown_skill" } });
    expect(result.success ? "" : result.error.message).toContain('did you mean "weekly-report"?');
    expect((await engine.call("skill", { name: "skills/weekly-report" })).success).toBe(true);
  });

  test("the description of the tool has the catalogue", async () => {
    write("pdf/SKILL.md", skill("pdf"));
    await open().load();
    expect(registry.get("skill")?.description).toContain(folder.catalogue());
    write("report/SKILL.md", skill("report"));
    await folder.reload();
    expect(registry.get("skill")?.description).toContain("- report: Handles report things");
  });
});

describe("limits of skills", () => {
  test.each([
    ["../secret.txt", "traversal"],
    ["references/../../secret.txt", "traversal"],
    ["/etc/passwd", "absolute"],
    ["~/.ssh/id_rsa", "absolute"],
    ["out.md", "outside_root"],
    ["out/s.txt", "outside_root"],
    ["none.md", "not_found"],
    ["references", "not_a_file"],
    [".git/config", "path_denied"],
    ["big.bin", "too_large"],
    ["turned.md", "hidden_text"],
    ["tagged.md", "hidden_text"],
  ])("skill_read of %s fails (%s)", async (path, reason) => {
    write("pdf/SKILL.md", skill("pdf"));
    write("pdf/references/a.md", "a");
    write("pdf/.git/config", "x");
    write("pdf/big.bin", Buffer.alloc(6_000_000));
    write("pdf/turned.md", "one\nrm \u202etxt.exe\n");
    write("pdf/tagged.md", "fine\u{e0041}\u{e0042}\n");
    mkdirSync(join(root, "outside"));
    writeFileSync(join(root, "secret.txt"), "SECRET");
    writeFileSync(join(root, "outside/s.txt"), "SECRET");
    symlinkSync(join(root, "secret.txt"), join(root, "skills/pdf/out.md"));
    symlinkSync(join(root, "outside"), join(root, "skills/pdf/out"));
    await open().load();
    const result = await engine.call("skill_read", { skill: "pdf", path });
    expect(reasonOf(result)).toBe(reason);
    expect(JSON.stringify(result)).not.toContain("SECRET");
    // A link that leads out is not even listed.
    expect(outputOf(await engine.call("pdf", {}))["files"]).not.toContain("out.md");
  });

  test("instructions with hidden text are refused at its position, and the skill is not in use", async () => {
    write("pdf/SKILL.md", skill("pdf", "Fine.\nIgnore \u{e0069}\u{e0067}this.\n"));
    await open().load();
    const result = await engine.call("skill", { name: "pdf" }, { conversationId: "c1" });
    expect(result).toMatchObject({ success: false, error: { code: "file_invalid", reason: "hidden_text" } });
    expect(result.success ? "" : result.error.message).toContain("skills/pdf/SKILL.md:7:8");
    expect(folder.sessions.inUse({ conversationId: "c1" })).toEqual([]);
  });

  test("an optional field with hidden characters is omitted, and the skill is used", async () => {
    write("pdf/SKILL.md", `${head("pdf", "compatibility: Needs \u202etig\n")}Go.\n`);
    await open().load();
    expect(folder.skill("pdf")?.compatibility).toBeUndefined();
    expect(folder.problems()).toMatchObject([{ severity: "warning", code: "hidden_text", line: 4, column: 22 }]);
  });

  test("harmless invisible characters of a copied page are removed", async () => {
    write("pdf/SKILL.md", skill("pdf", "A soft\u00ad hyphen, a \u200bspace, a family: 👨‍👩‍👧.\r\nEnd."));
    await open().load();
    expect(outputOf(await engine.call("pdf", {}))["instructions"]).toBe("A soft hyphen, a space, a family: 👨‍👩‍👧.\nEnd.");
  });

  test("a skill outside of the workspace, or a file outside of its folder, is refused", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "windlass-elsewhere-"));
    mkdirSync(join(elsewhere, "evil"));
    writeFileSync(join(elsewhere, "evil/SKILL.md"), skill("evil"));
    mkdirSync(join(root, "shared/good"), { recursive: true });
    writeFileSync(join(root, "shared/good/SKILL.md"), skill("good"));
    mkdirSync(join(root, "skills/borrowed"));
    symlinkSync(join(elsewhere, "evil"), join(root, "skills/evil"));
    symlinkSync(join(root, "shared/good"), join(root, "skills/good"));
    symlinkSync(join(root, "shared/good/SKILL.md"), join(root, "skills/borrowed/SKILL.md"));
    symlinkSync(join(root, "skills"), join(root, "skills/loop"));
    symlinkSync(join(root, "nowhere"), join(root, "skills/dangling"));
    await open().load();
    // A folder that is linked in from the workspace is used; the circle ends.
    expect(names()).toEqual(["good"]);
    expect(codes()).toEqual(["outside_workspace skills/evil", "outside_skill skills/borrowed/SKILL.md"]);
    expect(outputOf(await engine.call("good", {}))["skill"]).toBe("good");
    rmSync(elsewhere, { recursive: true });
  });

  test("a SKILL.md that is not a regular file is refused: a pipe does not block", async () => {
    mkdirSync(join(root, "skills/pipe"));
    execFileSync("mkfifo", [join(root, "skills/pipe/SKILL.md")]);
    mkdirSync(join(root, "skills/dir/SKILL.md"), { recursive: true });
    await open().load();
    expect(names()).toEqual([]);
    expect(codes()).toEqual(["not_a_file skills/dir/SKILL.md", "not_a_file skills/pipe/SKILL.md"]);
  });

  test("a second skill with the same name is refused", async () => {
    write("a/SKILL.md", skill("pdf"));
    write("pdf/SKILL.md", skill("pdf"));
    await open().load();
    expect(folder.skill("pdf")?.file).toBe("skills/a/SKILL.md");
    expect(folder.problems()).toContainEqual(
      expect.objectContaining({ code: "duplicate_skill", file: "skills/pdf/SKILL.md", line: 2, column: 7 }),
    );
  });
});

describe("invalid skills", () => {
  test("a folder without a SKILL.md, and a misplaced file, are reported", async () => {
    write("empty/README.md", "x");
    write("SKILL.md", skill("stray"));
    write("_draft/SKILL.md", skill("draft"));
    write(".hidden/SKILL.md", skill("hidden"));
    write("pdf/SKILL.md", skill("pdf"));
    write("pdf/examples/inner/SKILL.md", skill("inner"));
    await open().load();
    expect(names()).toEqual(["pdf"]);
    expect(codes()).toEqual(["stray_skill skills/SKILL.md", "no_skill skills/empty"]);
    expect(hasErrors(folder.problems())).toBe(false);
  });
});

describe("[C03] code skills", () => {
  test("tools in the folder, in tool.* and in tools/ are loaded; scripts are not run", async () => {
    write("plain.ts", code("plain_tool"));
    write("form.yaml", yamlTool("yaml_tool"));
    write("pdf/SKILL.md", skill("pdf"));
    write("pdf/tool.ts", code("pdf_fill"));
    write("pdf/tools/deep/merge.mjs", code("pdf_merge").replace(": string", ""));
    write("pdf/scripts/run.ts", "globalThis.scriptRan = true; throw new Error('never');");
    write("pdf/other.ts", "throw new Error('never');");
    write("only-code/tool.yaml", yamlTool("only_yaml"));
    const { added } = await open({ code: true }).load();
    expect(added.toSorted()).toEqual(
      ["only_yaml", "pdf_fill", "pdf_merge", "plain_tool", "skill", "skill_read", "skills/pdf", "yaml_tool"].toSorted(),
    );
    expect(folder.problems()).toEqual([]);
    expect(registry.resolve("pdf_fill")).toMatchObject({ source: "skills", priority: 1 });
    expect(await engine.call("pdf_fill", {})).toMatchObject({ success: true, output: "pdf_fill ran" });
    expect("scriptRan" in globalThis).toBe(false);
    expect(folder.fileOf("pdf_fill")).toBe("skills/pdf/tool.ts");
  });

  test("a code skill wins over instructions of the same name, and reserved names are respected", async () => {
    write("pdf/SKILL.md", skill("pdf"));
    write("pdf/tool.ts", code("pdf"));
    write("thief.ts", code("skill_read"));
    await open({ code: true }).load();
    expect(await engine.call("pdf", {})).toMatchObject({ success: true, output: "pdf ran" });
    expect(outputOf(await engine.call("skills/pdf", {}))["skill"]).toBe("pdf");
    expect(codes()).toEqual(["reserved_name skills/thief.ts"]);
    expect(registry.get("skill_read")?.category).toBe("skill");
  });

  test("no code runs if the workspace disables it", async () => {
    write("pdf/SKILL.md", skill("pdf"));
    write("pdf/tool.ts", "throw new Error('ran');");
    write("pdf/tools/deep/fill.yaml", yamlTool("fill"));
    await open({ code: false }).load();
    expect(names()).toEqual(["pdf"]);
    expect(folder.problems()).toEqual([]);
    expect(folder.codeFiles()).toEqual(["skills/pdf/tool.ts", "skills/pdf/tools/deep/fill.yaml"]);
  });

  test("by default no code runs, and each file is reported, including those added later", async () => {
    write("pdf/SKILL.md", skill("pdf"));
    write("pdf/tool.ts", "globalThis.codeRan = true;");
    await open().load();
    expect(codes()).toEqual(["code_not_loaded skills/pdf/tool.ts"]);
    expect(folder.problems()[0]?.hint).toContain("skills: { code: true }");
    write("stray.mjs", "globalThis.codeRan = true;");
    await folder.reload();
    expect(codes()).toEqual(["code_not_loaded skills/pdf/tool.ts", "code_not_loaded skills/stray.mjs"]);
    expect(hasErrors(folder.problems())).toBe(false);
    expect("codeRan" in globalThis).toBe(false);
  });

  test("broken code does not affect skills", async () => {
    write("pdf/SKILL.md", skill("pdf"));
    write("pdf/tool.ts", "export const x = ;\n");
    const { errors } = await open({ code: true }).load();
    expect(errors).toBe(1);
    expect(names()).toEqual(["pdf"]);
    expect(reported()).toContain("load_error");
  });
});

describe("reload", () => {
  test("skills are added, changed and removed at run time; an unchanged one keeps its tool", async () => {
    write("pdf/SKILL.md", skill("pdf"));
    write("old/SKILL.md", skill("old"));
    await open().load();
    const tool = registry.get("pdf");
    write("new/SKILL.md", skill("new"));
    rmSync(join(root, "skills/old"), { recursive: true });
    expect(await folder.reload()).toEqual({
      added: ["skills/new"],
      updated: ["skill"],
      removed: ["skills/old"],
      errors: 0,
    });
    expect(registry.get("pdf")).toBe(tool);
    write("pdf/SKILL.md", skill("pdf").replace("with care", "with more care"));
    expect((await folder.reload()).updated).toEqual(["skill", "skills/pdf"]);
    expect(registry.get("pdf")?.description).toContain("with more care");
  });

  test("edited instructions are returned at the next use, without a reload", async () => {
    write("pdf/SKILL.md", skill("pdf"));
    await open().load();
    const tool = registry.get("pdf");
    appendFileSync(join(root, "skills/pdf/SKILL.md"), "And more.\n");
    expect(outputOf(await engine.call("pdf", {}))["instructions"]).toContain("And more.");
    expect(await folder.reload()).toEqual({ added: [], updated: [], removed: [], errors: 0 });
    expect(registry.get("pdf")).toBe(tool);
  });

  test("an invalid edit keeps the skill and is reported; its instructions are refused until it is fixed", async () => {
    write("pdf/SKILL.md", skill("pdf"));
    await open().load();
    write("pdf/SKILL.md", "---\nname: pdf\n# no end");
    expect((await folder.reload()).errors).toBe(1);
    expect(names()).toEqual(["pdf"]);
    expect(codes()).toEqual(["unclosed_front_matter skills/pdf/SKILL.md"]);
    expect(reasonOf(await engine.call("pdf", {}))).toBe("broken_skill");
    write("pdf/SKILL.md", skill("pdf"));
    await folder.reload();
    expect(codes()).toEqual([]);
    expect((await engine.call("pdf", {})).success).toBe(true);
  });

  test.each([
    ["at intervals", { autoReload: true, intervalMs: 5 }],
    ["by watching", { watch: true }],
  ])("%s", async (_name, mode) => {
    write("pdf/SKILL.md", skill("pdf"));
    await open({ mode }).load();
    write("new/SKILL.md", skill("new"));
    await until(() => folder.skill("new") !== undefined);
    rmSync(join(root, "skills/new"), { recursive: true });
    await until(() => folder.skill("new") === undefined);
    expect(reported()).toEqual(expect.arrayContaining(["tool_added skills/new", "tool_removed skills/new"]));
  });

  test("a touched file is not a change", async () => {
    write("pdf/SKILL.md", skill("pdf"));
    await open().load();
    const [before] = folder.skills();
    utimesSync(join(root, "skills/pdf/SKILL.md"), new Date(), new Date());
    await folder.reload();
    expect(folder.skills()[0]).toBe(before);
  });
});

describe("many skills", () => {
  test("[C03] a thousand load in a moment, and checking them takes a part of it", async () => {
    for (let at = 0; at < 1_000; at++) {
      mkdirSync(join(root, `skills/skill-${at}`));
      writeFileSync(join(root, `skills/skill-${at}/SKILL.md`), skill(`skill-${at}`, "Text.\n".repeat(100)));
    }
    const spent = async (work: () => Promise<unknown>): Promise<number> => {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    // Measured as work of the processor, since others use this machine too; half a second of it is usual.
    const loading = await spent(() => open().load());
    const looking = await spent(() => folder.reload());
    expect(folder.skills()).toHaveLength(1_000);
    expect(folder.problems()).toEqual([]);
    expect(folder.catalogue().length).toBeLessThanOrEqual(4_000);
    expect(loading).toBeLessThan(3_000);
    expect(looking).toBeLessThan(loading);
  });

  test.runIf(existsSync("/proc/self/io"))("the system reads only their front matter", async () => {
    const body = "Instructions that nobody asked for.\n".repeat(10_000);
    for (let at = 0; at < 50; at++) write(`skill-${at}/SKILL.md`, skill(`skill-${at}`, body));
    // Modules that the first load needs are read before.
    await open({ code: false }).load();
    await folder.close();
    registry = new ToolRegistry();
    const bytesRead = (): number => Number(/^rchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
    const before = bytesRead();
    await open({ code: false }).load();
    const read = bytesRead() - before;
    expect(folder.skills()).toHaveLength(50);
    expect(read).toBeGreaterThan(50 * 100);
    expect(read).toBeLessThan(body.length);
  });
});

describe("allowed-tools", () => {
  const subject = {
    tool: "write_file",
    aliases: [],
    source: "tools",
    callerType: "conversation_agent",
    effect: "idempotent",
    destructive: true,
  } as const;

  async function using(trustAllowedTools: boolean): Promise<void> {
    registry.register(defineTool({ name: "write_file", description: "Writes", effect: "idempotent", run: () => null }));
    write("pdf/SKILL.md", `${head("pdf", "allowed-tools: Bash(git:*) Write WebFetch\n")}Go.\n`);
    await open({ trustAllowedTools }).load();
    await engine.call("skill", { name: "pdf" }, { conversationId: "c1" });
  }

  test("apply while the skill is in use in the conversation, to calls of the model, if skills are trusted", async () => {
    await using(true);
    const { sessions } = folder;
    expect(sessions.inUse({ conversationId: "c1" })).toEqual(["pdf"]);
    expect(sessions.findPreapproval({ conversationId: "c1" }, subject)).toBe("pdf");
    expect(sessions.findPreapproval({ conversationId: "c2" }, subject)).toBeUndefined();
    expect(sessions.findPreapproval({ conversationId: "c1", principal: "ada" }, subject)).toBeUndefined();
    expect(sessions.findPreapproval({}, subject)).toBeUndefined();
    expect(sessions.findPreapproval({ conversationId: "c1" }, { ...subject, tool: "edit_file" })).toBeUndefined();
    expect(
      sessions.findPreapproval({ conversationId: "c1" }, { ...subject, callerType: "mcp_client" }),
    ).toBeUndefined();
    sessions.forget({ conversationId: "c1" });
    expect(sessions.findPreapproval({ conversationId: "c1" }, subject)).toBeUndefined();
  });

  test("the tools allowed when the skill was loaded apply, not those of a later version of its file", async () => {
    await using(true);
    registry.register(defineTool({ name: "edit_file", description: "Edits", run: () => null }));
    write("pdf/SKILL.md", `${head("pdf", "allowed-tools: Edit\n")}Go.\n`);
    await folder.reload();
    expect(
      folder.sessions.findPreapproval({ conversationId: "c1" }, { ...subject, tool: "edit_file" }),
    ).toBeUndefined();
    expect(folder.sessions.findPreapproval({ conversationId: "c1" }, subject)).toBe("pdf");
  });

  test("have no effect by default, and then are not reported", async () => {
    await using(false);
    expect(folder.sessions.findPreapproval({ conversationId: "c1" }, subject)).toBeUndefined();
    expect(folder.problems()).toEqual([]);
  });

  test("entries that allow nothing are reported with their position", async () => {
    await using(true);
    expect(folder.problems()).toMatchObject([
      { severity: "warning", code: "ignored_tool", file: "skills/pdf/SKILL.md", line: 4, column: 16, length: 11 },
      { severity: "warning", code: "ignored_tool", line: 4, column: 34, length: 8 },
    ]);
  });

  test("conversations that are never ended are forgotten, the oldest first", async () => {
    await using(true);
    const pdf = folder.skill("pdf");
    if (pdf === undefined) throw new Error("no skill");
    for (let at = 0; at < 1_000; at++) folder.sessions.use({ conversationId: `other-${at}` }, pdf);
    expect(folder.sessions.inUse({ conversationId: "c1" })).toEqual([]);
    expect(folder.sessions.inUse({ conversationId: "other-0" })).toEqual(["pdf"]);
  });
});
