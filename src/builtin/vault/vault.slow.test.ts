import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { appendFile, mkdir, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { folderWith, writeFiles } from "../../../test/support/workspace.ts";
import { type TextIndex, createInMemoryTextIndex } from "../../store/index.ts";
import { type Vault, type VaultOptions, createVault } from "./vault.ts";

const closing: Vault[] = [];
afterEach(async () => {
  for (const vault of closing.splice(0)) await vault.close();
});

interface Opened {
  readonly folder: string;
  readonly vault: Vault;
  readonly index: TextIndex;
}

async function open(files: Readonly<Record<string, string>>, options: Partial<VaultOptions> = {}): Promise<Opened> {
  const folder = await folderWith(files);
  // Settled long ago, as most notes are.
  for (const name of Object.keys(files)) await utimes(join(folder, name), 1_700_000_000, 1_700_000_000);
  const index = createInMemoryTextIndex();
  const vault = createVault({ folder, index, ...options });
  closing.push(vault);
  return { folder, vault, index };
}

const counts = (...[added, updated, removed, unchanged]: [number, number, number, number]): object =>
  expect.objectContaining({ added, updated, removed, unchanged });

describe("indexing", () => {
  test("only changed notes are read again", async () => {
    const { folder, vault } = await open({ "a.md": "rope", "b/c.md": "sail", "d.png": "x", "e.TXT": "mast" });
    expect(await vault.index()).toEqual(counts(3, 0, 0, 0));
    expect(await vault.index()).toEqual(counts(0, 0, 0, 3));
    await writeFile(join(folder, "a.md"), "hemp");
    expect(await vault.index()).toEqual(counts(0, 1, 0, 2));
    expect((await vault.search({ query: "hemp" })).documents).toMatchObject([{ path: "a.md" }]);
    expect((await vault.search({ query: "rope" })).documents).toEqual([]);
    await rm(join(folder, "b"), { recursive: true });
    expect(await vault.index()).toEqual(counts(0, 0, 1, 2));
  });

  test("a note that changed within the resolution of its time and has the same size is noticed", async () => {
    const { folder, vault } = await open({ "a.md": "rope" });
    await writeFile(join(folder, "a.md"), "hemp");
    const { mtime } = await stat(join(folder, "a.md"));
    await vault.index();
    await writeFile(join(folder, "a.md"), "sail");
    await utimes(join(folder, "a.md"), mtime, mtime);
    expect(await vault.index()).toEqual(counts(0, 1, 0, 0));
  });

  test("a note that was only touched counts as unchanged, with its new time", async () => {
    const { folder, vault } = await open({ "a.md": "rope" });
    await vault.index();
    await utimes(join(folder, "a.md"), 1_750_000_000, 1_750_000_000);
    expect(await vault.index()).toEqual(counts(0, 0, 0, 1));
    expect((await vault.search({ query: "rope" })).documents).toMatchObject([{ mtime: 1_750_000_000_000 }]);
  });

  test("a note is of the day in its name or front matter, wherever its file was copied from", async () => {
    const files = {
      "2026-11-03.md": "rope",
      "b.md": "---\ndate: 2026-11-05\n---\nrope",
      "c.md": "---\ncreated: 2026-11-04 23:30:00\n---\nrope",
      "2026-13-45.md": "rope",
    };
    const { vault } = await open(files, { timezone: "Asia/Shanghai" });
    const { documents } = await vault.search({ query: "rope" });
    const times = Object.fromEntries(documents.map(({ path, modified }) => [path, modified]));
    expect(times).toEqual({
      "2026-11-03.md": "2026-11-03T00:00:00.000+08:00",
      "b.md": "2026-11-05T00:00:00.000+08:00",
      "c.md": "2026-11-04T23:30:00.000+08:00",
      "2026-13-45.md": "2023-11-15T06:13:20.000+08:00",
    });
    for (const path of Object.keys(files)) expect((await vault.read(path)).modified).toBe(times[path]);
    const dayMs = 86_400_000;
    const startTime = Date.parse("2026-11-04T00:00:00+08:00");
    const listed = async (query: object): Promise<string[]> =>
      (await vault.search({ ...query, timeRange: { startTime, endTime: startTime + 2 * dayMs } })).documents.map(
        ({ path }) => path,
      );
    expect(await listed({})).toEqual(["b.md", "c.md"]);
    expect((await listed({ query: "rope" })).toSorted()).toEqual(["b.md", "c.md"]);
  });

  test("an index of notes without dates, or with those of another time zone, is rebuilt", async () => {
    const { folder, vault, index } = await open({ "2026-11-03.md": "rope" }, { timezone: "UTC" });
    const collection = `vault:${folder}`;
    const path = "2026-11-03.md";
    const version = `1700000000000:4:AAAA`;
    const meta = { headings: [], links: [] };
    await index.put(collection, [{ id: path, path, title: "x", body: "rope", tags: [], at: 1, meta, version }]);
    const modified = async (of: Vault): Promise<unknown> =>
      (await of.search({ query: "rope" })).documents.map((note) => note.modified);
    expect(await modified(vault)).toEqual(["2026-11-03T00:00:00.000Z"]);
    expect(await vault.index()).toEqual(counts(0, 0, 0, 1));
    const moved = createVault({ folder, index, timezone: "America/New_York" });
    closing.push(moved);
    expect(await modified(moved)).toEqual(["2026-11-03T00:00:00.000-05:00"]);
  });

  test("a note that moved is reported as renamed", async () => {
    const { folder, vault } = await open({ "a.md": "rope", "b.md": "sail" });
    await vault.index();
    await mkdir(join(folder, "new"));
    await rename(join(folder, "a.md"), join(folder, "new/z.md"));
    expect(await vault.index()).toMatchObject({ added: 1, removed: 1, renamed: 1, unchanged: 1 });
    expect((await vault.search({ query: "rope" })).documents.map(({ path }) => path)).toEqual(["new/z.md"]);
  });

  test("single paths are updated, including folders and removed notes", async () => {
    const { folder, vault } = await open({ "a.md": "rope", "f/b.md": "sail", "f/c.md": "mast", "f2.md": "deck" });
    await vault.index();
    await writeFiles(folder, { "a.md": "hemp", "f/b.md": "canvas" });
    expect(await vault.index({ paths: ["a.md"] })).toEqual(counts(0, 1, 0, 0));
    expect((await vault.search({ query: "canvas" })).documents).toEqual([]);
    expect(await vault.index({ paths: ["./f/"] })).toEqual(counts(0, 1, 0, 1));
    await rm(join(folder, "f"), { recursive: true });
    expect(await vault.index({ paths: ["f", "unknown.md"] })).toEqual(counts(0, 0, 2, 0));
    expect((await vault.search({ query: "deck" })).documents).toHaveLength(1);
  });

  test("entries of .gitignore, hidden files, packages and links are skipped, also for single paths", async () => {
    const { folder, vault, index } = await open({
      ".gitignore": "drafts/\n*.tmp.md\n",
      "kept.md": "rope",
      "drafts/a.md": "rope",
      "x.tmp.md": "rope",
      ".hidden/a.md": "rope",
      "node_modules/p/readme.md": "rope",
      "sub/.gitignore": "secret.md\n!y.tmp.md\n",
      "sub/secret.md": "rope",
      "sub/y.tmp.md": "rope",
    });
    await symlink(join(folder, "kept.md"), join(folder, "link.md"));
    await vault.index();
    const paths = ["drafts/a.md", "x.tmp.md", ".hidden/a.md", "node_modules/p/readme.md", "sub/secret.md"];
    await vault.index({ paths });
    const { documents } = await vault.search({ query: "rope" });
    expect(documents.map(({ path }) => path).toSorted()).toEqual(["kept.md", "sub/y.tmp.md"]);
    await writeFile(join(folder, ".gitignore"), "kept.md\n");
    await vault.index({ paths: ["kept.md"] });
    expect([...(await index.versions(`vault:${folder}`)).keys()]).toEqual(["sub/y.tmp.md"]);
  });

  test("notes that are too large, binary or strangely named are reported or read, and cause no failure", async () => {
    const { folder, vault } = await open(
      { "ok.md": "rope", "9:30 standup.md": "rope" },
      { limits: { maxFileBytes: 100 } },
    );
    await writeFile(join(folder, "large.md"), "rope ".repeat(100));
    await writeFile(join(folder, "binary.md"), Buffer.from([0, 1, 2, 3]));
    await writeFile(join(folder, "gbk.md"), Buffer.from([0xc9, 0xfe, 0xd7, 0xd3]));
    await writeFile(join(folder, "utf16.md"), Buffer.from("\ufeffrope", "utf16le"));
    const report = await vault.index();
    expect(report.skipped.map(({ path }) => path).toSorted()).toEqual(["binary.md", "large.md"]);
    expect(report).toMatchObject({ added: 4, skippedCount: 2 });
    expect((await vault.search({ query: "绳子" })).documents.map(({ path }) => path)).toEqual(["gbk.md"]);
    expect((await vault.search({ query: "rope" })).documents).toHaveLength(3);
    await writeFile(join(folder, "9:30 standup.md"), "hemp");
    expect(await vault.index({ paths: ["9:30 standup.md"] })).toEqual(counts(0, 1, 0, 0));
  });

  test.skipIf(process.platform === "win32")(
    "every name that a file has stays in the index until it is gone",
    async () => {
      const names = [
        "c:5.md",
        "back\\slash.md",
        "Meeting: x.md",
        " lead.md",
        "~home.md",
        "con.md",
        "a:b/nul/c.md",
        "line\nend.md",
        "photo\u202egpj.md",
        "<U+202E>.md",
        "a#b.md",
        "%2e%2e.md",
      ];
      const { folder, vault, index } = await open(Object.fromEntries(names.map((name) => [name, "rope"])));
      const known = async (): Promise<string[]> => [...(await index.versions(`vault:${folder}`)).keys()].toSorted();
      expect(await vault.index()).toMatchObject({ added: names.length, skipped: [] });
      for (let round = 0; round < 3; round++) {
        // Changed, so that each is read again by its own name.
        for (const name of names) await writeFile(join(folder, name), `rope ${round}`);
        expect(await vault.index()).toMatchObject({ added: 0, updated: names.length, removed: 0, skipped: [] });
        for (const name of names) await writeFile(join(folder, name), `hemp ${round}`);
        expect(await vault.index({ paths: names })).toMatchObject({ added: 0, removed: 0, skipped: [] });
        expect(await known()).toEqual(names.toSorted());
      }
      const { documents } = await vault.search({ query: "hemp", limit: 50 });
      expect(documents).toHaveLength(names.length);
      // Every found note can be read by the citation shown, and no shown name is deceptive.
      for (const { path, cite } of documents) {
        expect((await vault.read(path)).text).toBe("hemp 2");
        expect((await vault.read(cite)).path).toBe(path);
        expect(path).toMatch(/^[ -~]+$/);
      }
      for (const name of names) await rm(join(folder, name));
      expect(await vault.index({ paths: names })).toMatchObject({ removed: names.length, skipped: [] });
    },
  );

  test.skipIf(process.platform !== "linux")(
    "a name that is not valid UTF-8 is reported every time, and never indexed",
    async () => {
      const { folder, vault } = await open({ "ok.md": "rope" });
      await writeFile(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff]), Buffer.from(".md")]), "rope");
      for (const added of [1, 0]) {
        expect(await vault.index()).toMatchObject({
          added,
          removed: 0,
          skippedCount: 1,
          skipped: [{ path: "bad\ufffd.md", why: expect.stringContaining("rename") }],
        });
      }
    },
  );

  test("a path that is too long for the index is reported, and the others are indexed", async () => {
    const { folder, vault } = await open({ "ok.md": "rope" });
    const deep = Array.from({ length: 9 }, () => "d".repeat(240)).join("/");
    await mkdir(join(folder, deep), { recursive: true });
    await writeFile(join(folder, deep, "a.md"), "rope");
    for (const added of [1, 0]) expect(await vault.index()).toMatchObject({ added, removed: 0, skippedCount: 1 });
  });

  test("too many notes are reported, and none is treated as removed", async () => {
    const { vault } = await open({ "a.md": "rope", "b.md": "rope", "c.md": "rope" }, { limits: { maxNotes: 2 } });
    expect(await vault.index()).toMatchObject({ added: 2, truncated: true, removed: 0 });
    expect(await vault.index()).toMatchObject({ unchanged: 2, truncated: true, removed: 0 });
  });

  test("runs wait for each other, and a cancelled one ends", async () => {
    const { vault } = await open({ "a.md": "rope" });
    const [first, second] = await Promise.all([vault.index(), vault.index()]);
    expect([first.added, second.unchanged]).toEqual([1, 1]);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(vault.index({ signal })).rejects.toMatchObject({ code: "cancelled" });
    expect(await vault.index()).toMatchObject({ unchanged: 1 });
  });

  test.skipIf(process.platform !== "linux")("a run that is cancelled half-way leaves no folder open", async () => {
    const notes = Array.from({ length: 900 }, (_, at): [string, string] => [`${at % 9}/x/${at}.md`, "rope"]);
    const { vault } = await open(Object.fromEntries(notes));
    const before = readdirSync("/proc/self/fd").length;
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(new Error("enough"));
    await expect(vault.index({ signal: controller.signal, onProgress })).rejects.toThrow(/enough|cancelled/);
    expect(readdirSync("/proc/self/fd").length).toBe(before);
  });

  test("a folder that does not exist is reported, and found once it is created", async () => {
    const folder = join(await folderWith({}), "later");
    const vault = createVault({ folder, index: createInMemoryTextIndex() });
    await expect(vault.index()).rejects.toMatchObject({ code: "not_available", reason: "no_vault" });
    await mkdir(folder);
    expect(await vault.index()).toMatchObject({ added: 0 });
  });
});

describe("searching", () => {
  test("a small vault is indexed automatically, and again after a while", async () => {
    const clock = new FakeClock();
    const { folder, vault } = await open({ "a.md": "rope" }, { clock });
    expect(await vault.search({ query: "rope" })).toMatchObject({ documents: [{ path: "a.md" }], indexed: 1 });
    await writeFile(join(folder, "b.md"), "rope");
    expect((await vault.search({ query: "rope" })).documents).toHaveLength(1);
    clock.advance(11_000);
    expect((await vault.search({ query: "rope" })).documents).toHaveLength(2);
  });

  test("a hit has its heading, its line in the file and its citation", async () => {
    const text = "---\ntags: [sea]\n---\n# Rope\n\nintro\n\n## Care\n\nA wet rope shrinks.\n\n## Sale\n";
    const { vault } = await open({ "b/rope.md": text, "plain.txt": "\nwet paper" });
    const { documents } = await vault.search({ query: "wet" });
    expect(documents).toContainEqual({
      path: "b/rope.md",
      title: "Rope",
      snippet: expect.stringContaining("A wet rope shrinks."),
      highlights: [expect.any(Array)],
      score: expect.any(Number),
      modified: "2023-11-14T22:13:20.000Z",
      mtime: 1_700_000_000_000,
      tags: ["sea"],
      heading: "Care",
      line: 10,
      cite: "b/rope.md:8",
    });
    expect(documents).toContainEqual(expect.objectContaining({ path: "plain.txt", cite: "plain.txt:2" }));
    expect(documents[0]?.score).toBe(1);
  });

  test("the heading above the words is cited, even if headings repeat", async () => {
    const day = (date: string, text: string): string => `# ${date}\n\n## Notes\n\n${text}\n\n## Tasks\n\nnone\n\n`;
    const { vault } = await open({ "log.md": day("Monday", "hemp") + day("Tuesday", "sisal") + day("Friday", "jute") });
    for (const [word, line] of [
      ["hemp", 3],
      ["sisal", 13],
      ["jute", 23],
    ] as const) {
      const [found] = (await vault.search({ query: word })).documents;
      expect(found).toMatchObject({ heading: "Notes", cite: `log.md:${line}` });
      expect(await vault.read(found?.cite ?? "")).toMatchObject({
        text: `## Notes\n\n${word}\n`,
        lines: [line, line + 3],
      });
    }
  });

  test("after the last stored heading, the words themselves are cited", async () => {
    const many = Array.from({ length: 600 }, (_, at) => `## H${at}\n\ntext ${at}\n`).join("\n");
    const { vault } = await open({ "long.md": `${many}\nhemp\n` });
    const [found] = (await vault.search({ query: "hemp" })).documents;
    expect(found).not.toHaveProperty("heading");
    expect(found?.cite).toBe(`long.md:${found?.line}`);
    expect((await vault.read(found?.cite ?? "")).text).toContain("hemp");
  });

  test.each(["rope", "bosun"])("snippets show no front matter, wherever %s is", async (query) => {
    const front = "---\nauthor: bosun\ntags: [rope, sea]\n---\n";
    const { vault } = await open({ "a.md": `${front}\nWet rope shrinks.\n` });
    const [found] = (await vault.search({ query })).documents;
    expect(found).toMatchObject({ snippet: "Wet rope shrinks.", line: 6 });
  });

  test("text between two --- lines that is not front matter is indexed as text", async () => {
    const { vault } = await open({ "a.md": "---\nTo be, or not to be.\n---\nHamlet\n" });
    const [found] = (await vault.search({ query: "not to be" })).documents;
    expect(found?.snippet).toContain("To be, or not to be.");
  });

  test("a time range that ends before it begins is refused", async () => {
    const { vault } = await open({ "a.md": "rope" });
    const timeRange = { startTime: 2, endTime: 2 };
    await expect(vault.search({ query: "rope", timeRange })).rejects.toMatchObject({ reason: "bad_range" });
  });
});

describe("reading", () => {
  const files = {
    "notes/rope.md": "# Rope\nintro\n## Care\nkeep dry\n### Wet\nit shrinks\n## Sale\nnone",
    "notes/deep:er.md": "elsewhere",
    "a#b.md": "odd name\n# One\nfirst\n# Two",
    "Meeting: x.md": "met",
    " lead.md": "spaced",
    "lead.md": "not spaced",
    "c:5.md": "drive",
    "c.md": "1\n2\n3\n4\nfive",
    "back\\slash.md": "slashed",
    "list.md": Array.from({ length: 50 }, (_, line) => `line ${line + 1}`).join("\n"),
  };

  test.each([
    ["notes/rope.md", "# Rope\nintro\n## Care\nkeep dry\n### Wet\nit shrinks\n## Sale\nnone", "notes/rope.md"],
    ["notes/rope", expect.stringContaining("# Rope"), "notes/rope.md"],
    ["notes/rope.md#Care", "## Care\nkeep dry\n### Wet\nit shrinks", "notes/rope.md:3"],
    ["notes/rope.md:3", "## Care\nkeep dry\n### Wet\nit shrinks", "notes/rope.md:3"],
    ["notes/rope.md#care#wet", "### Wet\nit shrinks", "notes/rope.md:5"],
    ["notes/rope.md:2-3", "intro\n## Care", "notes/rope.md:2-3"],
    ["[[rope]]", expect.stringContaining("# Rope"), "notes/rope.md"],
    ["[[rope#Wet|shown]]", "### Wet\nit shrinks", "notes/rope.md:5"],
    ["a#b.md", "odd name\n# One\nfirst\n# Two", "a#b.md"],
    ["a#b.md#One", "# One\nfirst", "a#b.md:2"],
    ["a#b#One", "# One\nfirst", "a#b.md:2"],
    ["[[a#b#Two]]", "# Two", "a#b.md:4"],
    ["Meeting: x.md", "met", "Meeting: x.md"],
    ["Meeting: x", "met", "Meeting: x.md"],
    ["[[Meeting: x]]", "met", "Meeting: x.md"],
    ["Meeting: x.md:1", "met", "Meeting: x.md:1"],
    [" lead.md", "spaced", " lead.md"],
    ["lead.md", "not spaced", "lead.md"],
    [" list.md", expect.stringContaining("line 1"), "list.md"],
    ["c:5", "drive", "c:5.md"],
    ["[[c:5]]", "drive", "c:5.md"],
    ["deep:er", "elsewhere", "notes/deep:er.md"],
    ["c.md:5", "1\n2\n3\n4\nfive", "c.md:5"],
    ["back\\slash.md", "slashed", "back\\slash.md"],
    ["list.md:30", expect.stringMatching(/^line 20\n[\s\S]*line 40$/), "list.md:30"],
  ])("%s is read", async (cited, text, cite) => {
    const { vault } = await open(files);
    await vault.index();
    expect(await vault.read(cited)).toMatchObject({ text, cite });
  });

  test("a citation of a result reads the same text again", async () => {
    const { vault } = await open(files);
    for (const [cited, options] of [
      ["notes/rope.md", {}],
      ["notes/rope.md#Wet", {}],
      ["list.md:30", {}],
      ["list.md", { from: 7, to: 9 }],
      ["a#b.md#One", {}],
    ] as const) {
      const { text, cite, lines } = await vault.read(cited, options);
      expect(await vault.read(cite)).toMatchObject({ text, cite, lines });
    }
  });

  test("lines and length can be limited, and the result says that it is truncated", async () => {
    const { vault } = await open(files);
    expect(await vault.read("list.md", { from: 3, to: 4 })).toMatchObject({
      text: "line 3\nline 4",
      lines: [3, 4],
      truncated: false,
    });
    expect(await vault.read("list.md", { maxCharacters: 16 })).toMatchObject({
      text: "line 1\nline 2",
      lines: [1, 2],
      truncated: true,
      next_line: 3,
    });
    expect(await vault.read("notes/rope.md")).toMatchObject({ truncated: false, lines: [1, 8] });
    await expect(vault.read("list.md", { from: 60 })).rejects.toMatchObject({ reason: "bad_range" });
    await expect(vault.read("list.md:9-8")).rejects.toMatchObject({ reason: "bad_range" });
  });

  test("a part that begins within a code fence reports it", async () => {
    const { vault } = await open({ "code.md": "# Code\n\n````sh\nrun\n```\nstop\n````\n\nDone.\n" });
    expect(await vault.read("code.md", { from: 5 })).toMatchObject({ code_fence: "````" });
    for (const from of [1, 3, 8]) expect(await vault.read("code.md", { from })).not.toHaveProperty("code_fence");
  });

  test("a section is marked truncated only if it did not fit", async () => {
    const { vault } = await open(files);
    expect(await vault.read("notes/rope.md:3")).toMatchObject({ lines: [3, 6], truncated: false });
    expect(await vault.read("notes/rope.md:3")).not.toHaveProperty("next_line");
    const cut = { text: "## Care\nkeep dry", lines: [3, 4], truncated: true, next_line: 5 };
    expect(await vault.read("notes/rope.md:3", { maxCharacters: 20 })).toMatchObject(cut);
    // A line that is too long is returned in part, and never half a character.
    const { vault: other } = await open({ "long.md": "😀".repeat(20) });
    expect(await other.read("long.md", { maxCharacters: 5 })).toMatchObject({
      text: "😀😀",
      lines: [1, 1],
      truncated: true,
    });
  });

  test.each([
    ["", [0, 0], ""],
    ["one", [1, 1], "one"],
    ["one\n", [1, 1], "one"],
    ["one\n\n", [1, 2], "one\n"],
    ["one\r\ntwo\r\n", [1, 2], "one\r\ntwo"],
    ["---\ntags: [a]\n---\none\n", [1, 4], "---\ntags: [a]\n---\none"],
    ["---\r\ntags: [a]\r\n---\r\n# one\r\ntwo\r\n", [1, 5], "---\r\ntags: [a]\r\n---\r\n# one\r\ntwo"],
    ["\ufeffone\ntwo\n", [1, 2], "one\ntwo"],
  ])("the lines of %j are %j", async (content, lines, text) => {
    const { vault } = await open({ "a.md": content });
    expect(await vault.read("a.md")).toMatchObject({ lines, text, truncated: false });
  });

  test("headings have correct lines with any line endings and any front matter", async () => {
    for (const end of ["\n", "\r\n"]) {
      const { vault } = await open({ "a.md": ["---", "title: x", "---", "", "# One", "text", "## Two", ""].join(end) });
      const { headings } = await vault.read("a.md");
      expect(headings.map(({ text, line }) => [text, line])).toEqual([
        ["One", 5],
        ["Two", 7],
      ]);
      expect(await vault.read("a.md:7")).toMatchObject({ text: "## Two", lines: [7, 7] });
    }
  });

  test.each([
    ["../outside.md", "traversal"],
    ["/etc/passwd", "absolute"],
    ["notes/../../x.md", "traversal"],
    ["missing.md", "no_note"],
    ["notes", "no_note"],
    ["secret.env", "not_a_note"],
    ["ignored.md", "not_a_note"],
    [".hidden/a.md", "not_a_note"],
    ["notes/rope.md#Nothing", "no_heading"],
    ["a\u0000b.md", "bad_path"],
  ])("%j is refused: %s", async (cited, reason) => {
    const more = { "secret.env": "KEY=1", "ignored.md": "x", ".gitignore": "ignored.md", ".hidden/a.md": "x" };
    const { vault } = await open({ ...files, ...more });
    await vault.index();
    await expect(vault.read(cited)).rejects.toMatchObject({ reason });
  });

  test("a link that leads out of the vault is not followed", async () => {
    const outside = await folderWith({ "s.md": "secret" });
    const { folder, vault } = await open({ "a.md": "rope" });
    await symlink(join(outside, "s.md"), join(folder, "s.md"));
    await symlink(outside, join(folder, "out"));
    await expect(vault.read("s.md")).rejects.toMatchObject({ reason: "outside_root" });
    await expect(vault.read("out/s.md")).rejects.toMatchObject({ reason: "outside_root" });
    await vault.index({ paths: ["s.md", "out/s.md", "out"] });
    await vault.index();
    expect((await vault.search({ query: "secret" })).documents).toEqual([]);
  });
});

describe("the tree", () => {
  test("shows folders first, with sizes, and is bounded in depth and number", async () => {
    const { vault } = await open({
      "b.md": "12345",
      "a/x/deep.md": "1",
      "a/y.md": "12",
      ".gitignore": "z.md",
      "z.md": "",
    });
    expect(await vault.tree()).toEqual({
      path: ".",
      tree: [
        {
          name: "a",
          type: "folder",
          children: [
            { name: "x", type: "folder", children: [{ name: "deep.md", type: "file", size: 1 }] },
            { name: "y.md", type: "file", size: 2 },
          ],
        },
        { name: "b.md", type: "file", size: 5 },
      ],
      files: 3,
      folders: 2,
      truncated: false,
    });
    expect(await vault.tree({ path: "a", depth: 1 })).toMatchObject({
      path: "a",
      tree: [{ name: "x", type: "folder" }, { name: "y.md" }],
    });
    expect(await vault.tree({ maxEntries: 2 })).toMatchObject({ truncated: true });
    expect(await vault.tree({ foldersOnly: true })).toMatchObject({ files: 0, folders: 2, truncated: false });
    expect(await vault.tree({ foldersOnly: true, maxEntries: 1 })).toMatchObject({ folders: 1, truncated: true });
    await expect(vault.tree({ path: "../.." })).rejects.toMatchObject({ reason: "traversal" });
    await expect(vault.tree({ path: "nowhere" })).rejects.toMatchObject({ reason: "not_found" });
  });

  test("shows deceptive characters of names escaped, and accepts the shown names", async () => {
    const { vault } = await open({ "in\u202eside/a\u001b.md": "rope" });
    const name = "in<U+202E>side";
    expect(await vault.tree()).toMatchObject({ tree: [{ name, children: [{ name: "a<U+001B>.md" }] }] });
    expect(await vault.tree({ path: name })).toMatchObject({ path: name, tree: [{ name: "a<U+001B>.md" }] });
    expect(await vault.read(`${name}/a<U+001B>.md`)).toMatchObject({ text: "rope" });
  });
});

describe("watching", () => {
  const known = async (index: TextIndex, folder: string): Promise<string[]> =>
    [...(await index.versions(`vault:${folder}`)).keys()].toSorted();
  const eventually = { timeout: 10_000, interval: 50 };

  async function watched(files: Readonly<Record<string, string>>): Promise<Opened & { readonly errors: unknown[] }> {
    const opened = await open(files);
    const errors: unknown[] = [];
    await opened.vault.index();
    await opened.vault.watch((error) => errors.push(error));
    return { ...opened, errors };
  }

  test("a vault follows its files", async () => {
    const { folder, vault, index, errors } = await watched({ "a.md": "rope", "old/c.md": "mast" });
    await writeFiles(folder, { "new/deep/b.md": "sail", ".hidden/x.md": "x", "node_modules/y.md": "y" });
    await rm(join(folder, "a.md"));
    await expect.poll(() => known(index, folder), eventually).toEqual(["new/deep/b.md", "old/c.md"]);
    // Also in folders that came later, and that were moved.
    await writeFile(join(folder, "new/deep/c.md"), "deck");
    await rename(join(folder, "old"), join(folder, "new/older"));
    await expect
      .poll(() => known(index, folder), eventually)
      .toEqual(["new/deep/b.md", "new/deep/c.md", "new/older/c.md"]);
    await writeFile(join(folder, "new/older/c.md"), "hemp");
    await expect.poll(async () => (await vault.search({ query: "hemp" })).documents.length, eventually).toBe(1);
    expect(errors).toEqual([]);
  });

  test("rules that change are followed", async () => {
    const { folder, index } = await watched({ "a.md": "rope", "drafts/b.md": "sail" });
    await writeFile(join(folder, ".gitignore"), "drafts/\n");
    await expect.poll(() => known(index, folder), eventually).toEqual(["a.md"]);
    await rm(join(folder, ".gitignore"));
    await expect.poll(() => known(index, folder), eventually).toEqual(["a.md", "drafts/b.md"]);
    await writeFile(join(folder, "drafts/c.md"), "deck");
    await expect.poll(() => known(index, folder), eventually).toEqual(["a.md", "drafts/b.md", "drafts/c.md"]);
  });

  test("a file that changes constantly is indexed all the same", async () => {
    const { folder, vault } = await watched({ "log.md": "rope" });
    const writing = setInterval(() => void appendFile(join(folder, "log.md"), "hemp\n"), 50);
    try {
      await expect.poll(async () => (await vault.search({ query: "hemp" })).documents.length, eventually).toBe(1);
    } finally {
      clearInterval(writing);
    }
  });

  test("many changes at once are all followed", async () => {
    const { folder, index } = await watched({ "a.md": "rope" });
    await writeFiles(folder, Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`n/${at % 7}/${at}.md`, "x"])));
    await expect.poll(async () => (await known(index, folder)).length, eventually).toBe(701);
  });

  test("a folder that is removed and comes back is followed again", async () => {
    const { folder, vault, index, errors } = await watched({ "a.md": "rope", "b/c.md": "mast" });
    await rm(folder, { recursive: true });
    await expect.poll(() => vault.search({ query: "rope" }).catch(({ reason }) => reason), eventually).toBe("no_vault");
    await writeFiles(folder, { "b/c.md": "mast", "d.md": "deck" });
    await expect.poll(() => known(index, folder), eventually).toEqual(["b/c.md", "d.md"]);
    await writeFile(join(folder, "b/e.md"), "sail");
    await expect.poll(() => known(index, folder), eventually).toEqual(["b/c.md", "b/e.md", "d.md"]);
    expect(errors).toEqual([]);
  });

  test("a folder that is replaced by another is watched", async () => {
    const { folder, index } = await watched({ "a.md": "rope" });
    const other = await folderWith({ "b.md": "sail" });
    await rename(folder, `${folder}-gone`);
    await rename(other, folder);
    await expect.poll(() => known(index, folder), eventually).toEqual(["b.md"]);
    await writeFile(join(folder, "c.md"), "deck");
    await expect.poll(() => known(index, folder), eventually).toEqual(["b.md", "c.md"]);
    await rm(`${folder}-gone`, { recursive: true });
  });

  test("a vault with `watch` is watched from the first search until it is closed", async () => {
    const errors: unknown[] = [];
    const { folder, vault, index } = await open({ "a.md": "rope" }, { watch: (error) => errors.push(error) });
    expect(await known(index, folder)).toEqual([]);
    expect((await vault.search({ query: "rope" })).documents).toHaveLength(1);
    await writeFile(join(folder, "b.md"), "sail");
    await expect.poll(() => known(index, folder), eventually).toEqual(["a.md", "b.md"]);
    await writeFile(join(folder, "c.md"), "deck");
    await vault.close();
    await new Promise((resolve) => void setTimeout(resolve, 500));
    expect(await known(index, folder)).toEqual(["a.md", "b.md"]);
    expect(errors).toEqual([]);
  });

  test("closing stops indexing that is under way, and leaves no watch open", async () => {
    const notes = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [`${at % 20}/${at}.md`, "rope ".repeat(50)]),
    );
    const { vault } = await open(notes, { watch: () => {} });
    const before = process.getActiveResourcesInfo().filter((name) => name === "FSEvent").length;
    const searching = vault.search({ query: "rope" }).catch(({ code }) => code);
    await new Promise((resolve) => void setTimeout(resolve, 20));
    await vault.close();
    await searching;
    expect(process.getActiveResourcesInfo().filter((name) => name.startsWith("FSEvent")).length).toBe(before);
  });

  test("watching a vault does not keep the process alive", async () => {
    const folder = await folderWith({ "a.md": "rope" });
    const program = `
      import { createVault } from ${JSON.stringify(join(import.meta.dirname, "index.ts"))};
      import { createInMemoryTextIndex } from ${JSON.stringify(join(import.meta.dirname, "../../store/index.ts"))};
      const vault = createVault({ folder: process.argv[1], index: createInMemoryTextIndex(), watch: console.error });
      const { documents } = await vault.search({ query: "rope" });
      process.stdout.write(documents[0].path);`;
    const options = { encoding: "utf8", timeout: 15_000 } as const;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module-typescript", "-e", program, folder],
      options,
    );
    expect([stdout, stderr]).toEqual(["a.md", ""]);
  });
});
