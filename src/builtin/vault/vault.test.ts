import { mkdir, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { folderWith, writeFiles } from "../../../test/support/workspace.ts";
import { type TextIndex, createMemoryTextIndex } from "../../store/index.ts";
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
  const index = createMemoryTextIndex();
  const vault = createVault({ folder, index, ...options });
  closing.push(vault);
  return { folder, vault, index };
}

const counts = (...[added, updated, removed, unchanged]: [number, number, number, number]): object =>
  expect.objectContaining({ added, updated, removed, unchanged });

describe("indexing", () => {
  test("only what changed is read again", async () => {
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

  test("a note that changed within the grain of its time and kept its size is noticed", async () => {
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

  test("a note that moved is told of as renamed", async () => {
    const { folder, vault } = await open({ "a.md": "rope", "b.md": "sail" });
    await vault.index();
    await mkdir(join(folder, "new"));
    await rename(join(folder, "a.md"), join(folder, "new/z.md"));
    expect(await vault.index()).toMatchObject({ added: 1, removed: 1, renamed: 1, unchanged: 1 });
    expect((await vault.search({ query: "rope" })).documents.map(({ path }) => path)).toEqual(["new/z.md"]);
  });

  test("single paths are brought up to date, folders and what is gone too", async () => {
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

  test("what .gitignore names, hidden files, packages and links are left out, also path by path", async () => {
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

  test("what is too large, no text, or strangely named is told of or read, and harms nothing", async () => {
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

  test("too many notes are told of, and none is taken for gone", async () => {
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

  test("a folder that does not exist is told of, and found once it is made", async () => {
    const folder = join(await folderWith({}), "later");
    const vault = createVault({ folder, index: createMemoryTextIndex() });
    await expect(vault.index()).rejects.toMatchObject({ code: "not_available", reason: "no_vault" });
    await mkdir(folder);
    expect(await vault.index()).toMatchObject({ added: 0 });
  });
});

describe("searching", () => {
  test("a small vault is indexed by itself, and again after a while", async () => {
    const clock = new FakeClock();
    const { folder, vault } = await open({ "a.md": "rope" }, { clock });
    expect(await vault.search({ query: "rope" })).toMatchObject({ documents: [{ path: "a.md" }], indexed: 1 });
    await writeFile(join(folder, "b.md"), "rope");
    expect((await vault.search({ query: "rope" })).documents).toHaveLength(1);
    clock.advance(11_000);
    expect((await vault.search({ query: "rope" })).documents).toHaveLength(2);
  });

  test("a hit has its heading, its line in the file and how to cite it", async () => {
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
      cite: "b/rope.md#Care",
    });
    expect(documents).toContainEqual(expect.objectContaining({ path: "plain.txt", cite: "plain.txt:2" }));
    expect(documents[0]?.score).toBe(1);
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
    "a#b.md": "odd name",
    "list.md": Array.from({ length: 50 }, (_, line) => `line ${line + 1}`).join("\n"),
  };

  test.each([
    ["notes/rope.md", "# Rope\nintro\n## Care\nkeep dry\n### Wet\nit shrinks\n## Sale\nnone", "notes/rope.md:1"],
    ["notes/rope", expect.stringContaining("# Rope"), "notes/rope.md:1"],
    ["notes/rope.md#Care", "## Care\nkeep dry\n### Wet\nit shrinks", "notes/rope.md#Care"],
    ["notes/rope.md#care#wet", "### Wet\nit shrinks", "notes/rope.md#care#wet"],
    ["[[rope]]", expect.stringContaining("# Rope"), "notes/rope.md:1"],
    ["[[rope#Wet|shown]]", "### Wet\nit shrinks", "notes/rope.md#Wet"],
    ["a#b.md", "odd name", "a#b.md:1"],
    ["list.md:30", expect.stringMatching(/^line 20\n[\s\S]*line 40$/), "list.md:20"],
  ])("%s is read", async (cited, text, cite) => {
    const { vault } = await open(files);
    await vault.index();
    expect(await vault.read(cited)).toMatchObject({ text, cite });
  });

  test("lines and length can be limited, and what was left out is told of", async () => {
    const { vault } = await open(files);
    expect(await vault.read("list.md", { from: 3, to: 4 })).toMatchObject({
      text: "line 3\nline 4",
      lines: [3, 4],
      truncated: true,
    });
    expect(await vault.read("list.md", { maxCharacters: 10 })).toMatchObject({ text: "line 1\nlin", truncated: true });
    expect(await vault.read("notes/rope.md")).toMatchObject({ truncated: false, lines: [1, 8] });
    await expect(vault.read("list.md", { from: 60 })).rejects.toMatchObject({ reason: "bad_range" });
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
});

test("while it is watched, a vault follows its files", async () => {
  const { folder, vault, index } = await open({ "a.md": "rope" });
  await vault.index();
  const errors: unknown[] = [];
  await vault.watch((error) => errors.push(error));
  await writeFiles(folder, { "new/b.md": "sail" });
  await rm(join(folder, "a.md"));
  await expect
    .poll(async () => [...(await index.versions(`vault:${folder}`)).keys()], { timeout: 10_000 })
    .toEqual(["new/b.md"]);
  expect(errors).toEqual([]);
});
