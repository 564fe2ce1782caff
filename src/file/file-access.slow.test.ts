import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import { isFailureError } from "../base/index.ts";
import { Folder } from "./folder.ts";
import { readBytes } from "./read-bytes.ts";
import {
  type FileAccessOptions,
  type WalkResult,
  type WalkEntry,
  type WalkOptions,
  createFileAccess,
  showPath,
  defaultDeniedPaths,
} from "./index.ts";

interface Row {
  readonly area: string;
  readonly input: unknown;
  readonly expected: string;
}

const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row[]).filter(({ area }) =>
  ["path", "path-race", "file-tree"].includes(area),
);

function rowsOf(area: string): Row[] {
  const found = rows.filter((row) => row.area === area);
  if (found.length === 0) throw new Error(`no rows of ${area}`);
  return found;
}

/** A long text of the rows is written as what repeats. */
function inputOf({ input }: Row): string {
  if (typeof input === "string") return input;
  const { $repeat, n } = input as { $repeat: string; n: number };
  return $repeat.repeat(n);
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A folder with a root in it, and files outside that must stay unreachable. */
function position(): { top: string; root: string } {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "windlass-files-")));
  closing.push(() => rmSync(top, { recursive: true, force: true }));
  const root = join(top, "root");
  for (const folder of ["root/sub", "outside", "root-evil"]) mkdirSync(join(top, folder), { recursive: true });
  writeFileSync(join(root, "a.md"), "A");
  writeFileSync(join(root, "sub/a.md"), "inside");
  for (const folder of ["outside", "root-evil"]) writeFileSync(join(top, folder, "s.txt"), "SECRET");
  return { top, root };
}

function open(root: string, options: Partial<FileAccessOptions> = {}): ReturnType<typeof createFileAccess> {
  return createFileAccess({ roots: [{ path: root, write: true }], ...options });
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isFailureError(error)) return error.reason ?? "";
    throw error;
  }
  return "it went through";
}

async function walked(
  walk: AsyncGenerator<WalkEntry, WalkResult>,
): Promise<{ paths: string[]; end: WalkResult; entries: WalkEntry[] }> {
  const entries: WalkEntry[] = [];
  for (;;) {
    const step = await walk.next();
    if (step.done === true) return { entries, end: step.value, paths: entries.map(({ path }) => path) };
    entries.push(step.value);
  }
}

/** Number of open descriptors of this process, if the system reveals it. */
const descriptors = (): number => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0);

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("hostile paths", () => {
  function trap(): { top: string; root: string } {
    const made = position();
    const { root } = made;
    symlinkSync(".", join(root, "self"));
    symlinkSync("../outside/s.txt", join(root, "link.md"));
    symlinkSync("../outside", join(root, "way-out"));
    symlinkSync("loop2", join(root, "loop1"));
    symlinkSync("loop1", join(root, "loop2"));
    symlinkSync("nowhere", join(root, "dangling"));
    execFileSync("mkfifo", [join(root, "fifo")]);
    return made;
  }

  test.each(rowsOf("path").map((row) => [inputOf(row).slice(0, 60), row] as const))(
    "%j is refused",
    async (_n, row) => {
      const { root } = trap();
      // The table names the system's own word for links in a circle.
      const expected = row.expected.replace("refuse:", "").replace("ELOOP", "too_many_links");
      expect(await reasonOf(open(root).read(inputOf(row)))).toBe(expected);
      // A merely missing folder may be created, inside the root.
      await reasonOf(open(root).write(inputOf(row), "x", { createParents: true }));
      expect(readdirSync(join(root, ".."))).toEqual(["outside", "root", "root-evil"]);
      expect(readdirSync(join(root, "../outside"))).toEqual(["s.txt"]);
      expect(readFileSync(join(root, "../outside/s.txt"), "utf8")).toBe("SECRET");
    },
  );

  test.each([
    ["way-out/s.txt", "outside_root"],
    ["self/way-out/s.txt", "outside_root"],
    ["~/.ssh/id_rsa", "absolute"],
    ["a\u0000.md", "bad_path"],
    ["a\n.md", "bad_path"],
    ["\ud800", "bad_path"],
    ["sub/a.md.", "bad_name"],
    ["NUL", "bad_name"],
    ["a.md/b", "not_found"],
    ["/dev/null", "absolute"],
    ["/proc/self/environ", "absolute"],
    ["a".repeat(300), "bad_path"],
    ["self", "not_a_file"],
    [".git/config", "path_denied"],
    [".GIT/config", "path_denied"],
    ["sub/.windlass/journal.db", "path_denied"],
    [undefined, "bad_path"],
    [5, "bad_path"],
  ])("%j is refused for reading (%s)", async (path, reason) => {
    const { root } = trap();
    for (const folder of [".git", ".GIT", "sub/.windlass"]) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, "config"), "x");
      writeFileSync(join(root, folder, "journal.db"), "x");
    }
    // Callers in plain JavaScript pass anything.
    expect(await reasonOf(open(root).read(path as string))).toBe(reason);
  });

  test.each([
    ["link.md", "outside_root"],
    ["way-out/new.txt", "outside_root"],
    ["way-out/a/b.txt", "outside_root"],
    ["dangling", "broken_link"],
    ["dangling/a.md", "not_a_folder"],
    ["loop1", "too_many_links"],
    ["fifo", "not_a_file"],
    ["sub", "not_a_file"],
    [".", "not_a_file"],
    [".git/hooks/post-commit", "path_denied"],
    [".git", "path_denied"],
    ["new/.Windlass/x", "path_denied"],
    ["a.md/b.md", "not_a_folder"],
  ])("%j is refused for writing (%s)", async (path, reason) => {
    const { top, root } = trap();
    expect(await reasonOf(open(root).write(path, "x", { createParents: true }))).toBe(reason);
    expect(readdirSync(join(top, "outside"))).toEqual(["s.txt"]);
    expect(existsSync(join(root, "nowhere"))).toBe(false);
  });

  test("the obstacle is named, and not the requested file", async () => {
    const { top, root } = trap();
    const files = createFileAccess({
      roots: [
        { path: root, write: true },
        { path: join(top, "outside"), write: true },
      ],
    });
    for (const createParents of [true, false]) {
      for (const path of ["sub/a.md/b.md", "sub/a.md/b/c/d.md"]) {
        await expect(files.write(path, "x", { createParents })).rejects.toThrow(/^sub\/a\.md is not a folder$/);
        await expect(files.edit(path, () => new Uint8Array())).rejects.toThrow(/^sub\/a\.md is not a folder$/);
      }
    }
    await expect(files.write(join(top, "outside/s.txt/x"), "x")).rejects.toThrow(
      `${join(top, "outside/s.txt")} is not a folder`,
    );
    await expect(files.write("dangling/a.md", "x", { createParents: true })).rejects.toThrow(
      /^dangling is not a folder$/,
    );
  });

  test("the failure names the missing folder and how to create it", async () => {
    const { root } = position();
    const expected = open(root).write("new/deep/a.md", "x");
    await expect(expected).rejects.toThrow(
      "the folder new/deep does not exist; pass create_parents: true to create it",
    );
    await expect(open(root).edit("new/a.md", () => new Uint8Array())).rejects.toThrow(/^new\/a\.md does not exist$/);
  });

  test.each(["photo\u202egpj.exe", "con.md", "a.md ", "ab:c"])("%j is reported to readers as missing", async (name) => {
    const { root } = position();
    const files = open(root);
    const missing = /^there is no .*; list its folder, and write the path as it is shown there$/;
    await expect(files.read(name)).rejects.toThrow(missing);
    await expect(files.edit(name, () => new Uint8Array())).rejects.toThrow(missing);
    await expect(files.walk(name).next()).rejects.toThrow(missing);
    await expect(open(root).write(name, "x")).rejects.toThrow(/^there is no .*, and (?:a new file may|the name )/);
  });

  test("a socket and a device are not files, and opening them does not block", async () => {
    const { root } = position();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, "socket"), resolve));
    closing.push(() => server.close());
    expect(await reasonOf(open(root).read("socket"))).toBe("not_a_file");
    expect(await reasonOf(createFileAccess({ roots: [{ path: "/dev", write: false }] }).read("zero"))).toBe(
      "not_a_file",
    );
  });

  test("a root may itself be reached through a link, and absolute paths inside it are taken", async () => {
    const { top, root } = position();
    symlinkSync("root", join(top, "alias"));
    const files = open(join(top, "alias"));
    expect((await files.read("sub/a.md")).bytes.toString()).toBe("inside");
    expect((await files.read(join(top, "alias/sub/a.md"))).path).toBe("sub/a.md");
    expect((await files.read(join(root, "sub/a.md"))).path).toBe("sub/a.md");
    expect(await reasonOf(files.read(join(top, "outside/s.txt")))).toBe("absolute");
  });

  test("each root has its own rights, and the innermost decides", async () => {
    const { top, root } = position();
    const roots = [
      { path: root, write: false },
      { path: join(root, "sub"), write: true },
      { path: join(top, "outside"), write: false },
    ];
    const files = createFileAccess({ roots });
    expect(await reasonOf(files.write("b.md", "x"))).toBe("read_only");
    expect(await files.write("sub/b.md", "x")).toMatchObject({ path: "sub/b.md", created: true });
    expect(await files.read(join(top, "outside/s.txt"))).toMatchObject({ path: join(top, "outside/s.txt"), size: 6 });
    expect(await reasonOf(files.write(join(top, "outside/new"), "x"))).toBe("read_only");
  });

  test("a root that is missing is named", async () => {
    const { top } = position();
    await expect(open(join(top, "none")).read("a")).rejects.toThrow(/none does not exist; make it first/);
  });

  test("if no folder is open, the message says so", async () => {
    const files = createFileAccess({ roots: [] });
    const none = {
      code: "not_available",
      reason: "no_folder",
      message: expect.stringMatching(/^no folder is open; .*`files`/) as string,
    };
    await expect(files.read("a")).rejects.toMatchObject(none);
    await expect(files.write("a", "")).rejects.toMatchObject(none);
    await expect(files.edit("a", () => new Uint8Array())).rejects.toMatchObject(none);
    await expect(files.walk(".").next()).rejects.toMatchObject(none);
  });
});

describe("names that are there", () => {
  /** File names that Linux allows, and that other systems or readers take for something else. */
  const names = [
    "Meeting: x.md",
    "c:5.md",
    "back\\slash.md",
    " lead.md",
    "trail.md ",
    "dots..",
    "~home.md",
    "con.md",
    "a:b/nul/c.md",
    "tab\t.md",
    "line\nend.md",
    "photo\u202egpj.md",
    "zero\u200bwidth.md",
    "join\u200der.md",
    "<U+202E>.md",
    "<U+003C>U+202E>.md",
    "%2e%2e.md",
    "👩\u200d🚀.md",
    "中文.md",
  ];

  test.skipIf(process.platform === "win32")("each is walked, read, shown and read as shown, and written", async () => {
    const { root } = position();
    const files = open(root);
    for (const name of names) {
      mkdirSync(join(root, name, ".."), { recursive: true });
      writeFileSync(join(root, name), name);
    }
    const { paths } = await walked(files.walk("."));
    expect(names.filter((name) => !paths.includes(name))).toEqual([]);
    const shown = names.map(showPath);
    expect(new Set(shown).size).toBe(names.length);
    for (const [at, name] of names.entries()) {
      // A name that looks as another is shown means that one.
      const isShown = shown.includes(name) && shown[at] !== name;
      for (const path of isShown ? [shown[at] ?? ""] : [name, shown[at] ?? ""]) {
        const read = await files.read(path);
        expect([path, read.bytes.toString()]).toEqual([path, name]);
      }
      expect(shown[at]).toMatch(/^[ -~\u00a1-\uffff]+$/);
      expect(await files.write(shown[at] ?? "", "new")).toMatchObject({ path: name, created: false });
      expect(readFileSync(join(root, name), "utf8")).toBe("new");
    }
  });

  test("a displayed path leads to its file, also beside a file with that literal name", async () => {
    const { root } = position();
    writeFileSync(join(root, "\u202e.md"), "reversed");
    writeFileSync(join(root, "<U+202E>.md"), "literal");
    const { paths } = await walked(open(root).walk("."));
    const read = async (path: string): Promise<string> => (await open(root).read(path)).bytes.toString();
    expect(
      await Promise.all(paths.filter((path) => path.endsWith("E>.md")).map((path) => read(showPath(path)))),
    ).toEqual(["literal"]);
    expect(await read("<U+202E>.md")).toBe("reversed");
    unlinkSync(join(root, "\u202e.md"));
    expect(await read("<U+202E>.md")).toBe("literal");
  });

  test.skipIf(process.platform === "win32")(
    "a new file may be in such a folder, and not have such a name",
    async () => {
      const { root } = position();
      mkdirSync(join(root, "c:"));
      expect(await open(root).write("c:/new.md", "x")).toMatchObject({ path: "c:/new.md", created: true });
      expect(await reasonOf(open(root).write("c:/a:b.md", "x"))).toBe("bad_name");
      expect(await reasonOf(open(root).write("d:/new.md", "x", { createParents: true }))).toBe("absolute");
      expect(await reasonOf(open(root).write("a\u0007.md", "x"))).toBe("bad_path");
      for (const name of ["photo\u202egpj.exe", "a\u200bb.md", "a\u200db.md", "<U+202E>.md"]) {
        expect([name, await reasonOf(open(root).write(name, "x"))]).toEqual([name, "bad_name"]);
      }
      for (const name of ["1️⃣ plan.md", "👩\u200d🚀.md", "می\u200cروم.md", "é.md", "a<b>.md"]) {
        expect(await open(root).write(name, "x")).toMatchObject({ path: name, created: true });
      }
    },
  );

  test("no way of writing a path leads up or around a closed folder", async () => {
    const { root } = position();
    mkdirSync(join(root, ".git"));
    writeFileSync(join(root, ".git/config"), "x");
    for (const path of ["<U+002E><U+002E>/outside/s.txt", "sub<U+002F>a.md", "<U+002E>git/config", "<U+110000>"]) {
      expect([path, await reasonOf(open(root).read(path))]).toEqual([path, "bad_name"]);
    }
    // Not even through a folder whose name makes the path look harmless.
    mkdirSync(join(root, "a:b"));
    expect(await reasonOf(open(root).read("a:b/../../outside/s.txt"))).toBe("traversal");
    symlinkSync("../../outside", join(root, "a:b/out"));
    expect(await reasonOf(open(root).read("a:b/out/s.txt"))).toBe("outside_root");
  });
});

describe("closed paths", () => {
  const closed = [
    ".env",
    "app/.env.production",
    ".ENV.local",
    ".envrc",
    ".npmrc",
    "pkg/.npmrc",
    ".netrc",
    ".git/config",
    "sub/.git/hooks/pre-commit",
    ".ssh/config",
    "backup/.ssh/known_hosts",
    ".aws/credentials",
    "home/.docker/config.json",
    "deploy/id_ed25519",
    "tls/server.key",
    "tls/server.pem",
    "windlass.local.yaml",
    ".windlass/journal.db",
    "keys/token.md",
  ];
  const readable = [
    "secrets.md",
    "env.md",
    ".env.example",
    ".gitignore",
    ".github/workflows/ci.yml",
    "credentials",
    "credentials.md",
    "docs/keys.md",
    "config.json",
    "id_ed25519.pub",
    "windlass.yaml",
    "other/token.md",
    ".aws/config",
    "key.ts",
    "npmrc",
  ];

  function filled(): { root: string; files: ReturnType<typeof createFileAccess> } {
    const { root } = position();
    for (const path of [...closed, ...readable]) {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), "x");
    }
    return { root, files: open(root, { denied: [...defaultDeniedPaths, join(root, "keys/token.md")] }) };
  }

  test.each(closed)("%s is", async (path) => {
    const { root, files } = filled();
    expect(await reasonOf(files.read(path))).toBe("path_denied");
    expect(await reasonOf(files.write(path, "y"))).toBe("path_denied");
    symlinkSync(join(root, path), join(root, "harmless.md"));
    expect(await reasonOf(files.read("harmless.md"))).toBe("path_denied");
    expect(readFileSync(join(root, path), "utf8")).toBe("x");
  });

  test.each(readable)("%s is not", async (path) => {
    const { files } = filled();
    expect((await files.read(path)).bytes.toString()).toBe("x");
  });

  test("a walk shows open entries, and nothing else", async () => {
    const { files } = filled();
    const { entries } = await walked(files.walk(".", { hidden: true, maxDepth: 9 }));
    const paths = entries.filter(({ type }) => type === "file").map(({ path }) => path);
    expect(paths.toSorted()).toEqual([...readable, "a.md", "sub/a.md"].toSorted());
  });

  test("creates no folders for a denied path", async () => {
    const { root } = position();
    expect(await reasonOf(open(root).write("new/deep/.env", "x", { createParents: true }))).toBe("path_denied");
    expect(existsSync(join(root, "new"))).toBe(false);
  });
});

describe("paths that change while they are used", () => {
  test.each(rowsOf("path-race").map((row) => [JSON.stringify(row.input), row] as const))("%s", async (_name, row) => {
    expect(row.expected).toContain("refuse");
    const { root } = position();
    const guard = { path: "sub/a.md", check: () => {} };
    // The moment between following links and opening, held still.
    const folder = await Folder.open(join(root, "sub"), guard);
    closing.push(() => folder.close());
    unlinkSync(join(root, "sub/a.md"));
    symlinkSync("../../outside/s.txt", join(root, "sub/a.md"));
    const range = { offset: 0, maxBytes: 100, hardLinks: false, signal: undefined };
    expect(await reasonOf(readBytes(folder, { name: "a.md", path: "sub/a.md" }, range))).toBe("concurrent_change");
  });

  test("a folder that became a link is not entered", async () => {
    const { root } = position();
    renameSync(join(root, "sub"), join(root, "was-sub"));
    symlinkSync("../outside", join(root, "sub"));
    expect(await reasonOf(Folder.open(join(root, "sub"), { path: "sub", check: () => {} }))).toBe("not_a_folder");
  });

  test.skipIf(process.platform !== "linux")("an open folder stays the same one, wherever its path leads", async () => {
    const { root } = position();
    const folder = await Folder.open(join(root, "sub"), { path: "sub", check: () => {} });
    closing.push(() => folder.close());
    renameSync(join(root, "sub"), join(root, "was-sub"));
    symlinkSync("../outside", join(root, "sub"));
    writeFileSync(folder.at("new.txt"), "x");
    expect(existsSync(join(root, "was-sub/new.txt"))).toBe(true);
    expect(readdirSync(join(root, "../outside"))).toEqual(["s.txt"]);
  });

  test("no read and no write gets out while another process swaps folder and file for links", async () => {
    const { top, root } = position();
    const files = open(root);
    const swapper = spawn(process.execPath, ["-e", swaps, root], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => swapper.stdout.once("data", resolve));
    const ended = new Promise((resolve) => swapper.once("exit", resolve));
    const seen = new Set<string>();
    const until = performance.now() + 1500;
    while (performance.now() < until) {
      for (const path of ["sub/a.md", "file.md"]) {
        seen.add(
          await files.read(path).then(
            ({ bytes }) => bytes.toString(),
            (error: unknown) => reported(error),
          ),
        );
        seen.add(
          await files.write(path, "mine").then(
            () => "written",
            (error: unknown) => reported(error),
          ),
        );
      }
    }
    swapper.kill("SIGKILL");
    await ended;
    expect([...seen].filter((what) => what.includes("SECRET"))).toEqual([]);
    expect(seen.has("mine") || seen.has("inside")).toBe(true);
    expect(readFileSync(join(top, "outside/a.md"), "utf8")).toBe("SECRET");
    expect(readdirSync(join(top, "outside")).sort()).toEqual(["a.md", "s.txt"]);
  });
});

function reported(error: unknown): string {
  if (!isFailureError(error)) throw error;
  return error.reason ?? "";
}

/** Swaps a folder and a file for links that lead out, as fast as it can. */
const swaps = `
const fs = require("node:fs"), path = require("node:path");
const root = process.argv[1], at = (name) => path.join(root, name);
fs.writeFileSync(path.join(root, "../outside/a.md"), "SECRET");
fs.writeFileSync(at("file.md"), "inside");
fs.symlinkSync("../outside", at("folder-link"));
process.stdout.write("ready");
for (;;) {
  try {
    fs.renameSync(at("sub"), at("sub-kept")); fs.renameSync(at("folder-link"), at("sub"));
    fs.renameSync(at("sub"), at("folder-link")); fs.renameSync(at("sub-kept"), at("sub"));
    fs.symlinkSync("../outside/a.md", at("file-link")); fs.renameSync(at("file-link"), at("file.md"));
    fs.writeFileSync(at("plain"), "inside"); fs.renameSync(at("plain"), at("file.md"));
  } catch {}
}`;

describe("reading", () => {
  test("returns a part, and reports the truncation", async () => {
    const { root } = position();
    writeFileSync(join(root, "long.txt"), "0123456789");
    const files = open(root, { maxBytes: 8 });
    const first = await files.read("long.txt");
    expect([first.bytes.toString(), first.size, first.truncated]).toEqual(["01234567", 10, true]);
    const rest = await files.read("long.txt", { offset: 8, maxBytes: 100 });
    expect([rest.bytes.toString(), rest.truncated]).toEqual(["89", false]);
    expect((await files.read("long.txt", { offset: 50 })).bytes.length).toBe(0);
  });

  test("follows links that stay inside", async () => {
    const { root } = position();
    symlinkSync("sub/a.md", join(root, "inner.md"));
    expect((await open(root).read("inner.md")).bytes.toString()).toBe("inside");
  });

  test("stops when cancelled, and leaves no descriptor open", async () => {
    const { root } = position();
    const before = descriptors();
    expect(await reasonOf(open(root).read("a.md", { signal: AbortSignal.abort() }))).toBe("aborted");
    await reasonOf(open(root).read("none"));
    await reasonOf(open(root).read("sub"));
    await open(root).read("a.md");
    expect(descriptors()).toBe(before);
  });
});

describe("writing", () => {
  test("returns size and hash, and writes nothing if the content is the same", async () => {
    const { root } = position();
    const files = open(root);
    const done = { path: "new.md", bytes: 6, sha256: sha256("中文") };
    expect(await files.write("new.md", "中文")).toEqual({ ...done, created: true, changed: true });
    const { ino } = statSync(join(root, "new.md"));
    expect(await files.write("new.md", "中文")).toEqual({ ...done, created: false, changed: false });
    expect(statSync(join(root, "new.md")).ino).toBe(ino);
  });

  test("creates folders only on request", async () => {
    const { root } = position();
    expect(await reasonOf(open(root).write("x/y/z.md", "1"))).toBe("not_found");
    expect(existsSync(join(root, "x"))).toBe(false);
    await open(root).write("x/y/z.md", "1", { createParents: true });
    expect(readFileSync(join(root, "x/y/z.md"), "utf8")).toBe("1");
  });

  test("keeps the mode of a file, and the link to it", async () => {
    const { root } = position();
    chmodSync(join(root, "a.md"), 0o640);
    symlinkSync("a.md", join(root, "inner.md"));
    await open(root).write("inner.md", "new");
    expect(readlinkSync(join(root, "inner.md"))).toBe("a.md");
    expect(readFileSync(join(root, "a.md"), "utf8")).toBe("new");
    expect(statSync(join(root, "a.md")).mode & 0o777).toBe(0o640);
  });

  test("refuses a file that is not the expected one", async () => {
    const { root } = position();
    const files = open(root);
    expect(await reasonOf(files.write("a.md", "B", { expected: { sha256: sha256("other") } }))).toBe("changed");
    expect(await reasonOf(files.write("none.md", "B", { expected: { sha256: sha256("A") } }))).toBe("changed");
    expect(await reasonOf(files.write("a.md", "B", { expected: { modifiedMs: 1 } }))).toBe("changed");
    expect(await reasonOf(files.write("a.md", "B", { overwrite: false }))).toBe("exists");
    expect(readFileSync(join(root, "a.md"), "utf8")).toBe("A");
    const expected = { sha256: sha256("A").toUpperCase(), modifiedMs: (await files.read("a.md")).modifiedMs };
    expect(await files.write("a.md", "B", { expected })).toMatchObject({ changed: true });
    // The same call once more: its result already exists.
    expect(await files.write("a.md", "B", { expected })).toMatchObject({ changed: false });
  });

  test("rejects more bytes than the limit", async () => {
    const { root } = position();
    expect(await reasonOf(open(root, { maxBytes: 3 }).write("a.md", "1234"))).toBe("too_large");
  });

  test("leaves nothing behind when it fails or is cancelled", async () => {
    const { root } = position();
    const controller = new AbortController();
    const work = open(root).write("a.md", "x".repeat(4_000_000), { signal: controller.signal });
    setImmediate(() => controller.abort());
    const reason = await reasonOf(work);
    expect(["aborted", "it went through"]).toContain(reason);
    expect(readdirSync(root).sort()).toEqual(["a.md", "sub"]);
  });

  test("edits of one file take turns, and none is lost", async () => {
    const { root } = position();
    const [one, two] = [open(root), open(root)];
    const add = (before: { bytes: Buffer }): Buffer => Buffer.concat([before.bytes, Buffer.from("+")]);
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : two).edit("a.md", add)));
    expect(readFileSync(join(root, "a.md"), "utf8")).toBe(`A${"+".repeat(20)}`);
  });

  test("an edit yields to a concurrent write of another program", async () => {
    const { root } = position();
    const work = open(root).edit("a.md", () => {
      writeFileSync(join(root, "a.md"), "theirs");
      return Buffer.from("mine");
    });
    expect(await reasonOf(work)).toBe("changed");
    expect(readFileSync(join(root, "a.md"), "utf8")).toBe("theirs");
  });

  test("removes temporary files of a killed process, and none that are in use or foreign", async () => {
    const { root } = position();
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    closing.push(() => child.kill("SIGKILL"));
    const files = open(root);
    const live: string[] = [];
    await files.edit("a.md", () => Buffer.from("B"));
    const probe = createFileAccess({ roots: [{ path: root, write: true }] });
    const writing = probe.write("big.md", "x".repeat(8_000_000));
    while (live.length === 0) {
      live.push(...readdirSync(root).filter((name) => name.endsWith(".tmp")));
      await new Promise(setImmediate);
    }
    await writing;
    const name = live[0] ?? "";
    const of = (pid: number | undefined, tail: string): string => name.replace(/-\d+-[0-9a-f]{16}/, `-${pid}-${tail}`);
    const dead = of(999_999_999, "0".repeat(16));
    const alive = of(child.pid, "1".repeat(16));
    const foreign = alive.replace(/windlass-[0-9a-f]{8}/, "windlass-00000000");
    for (const temp of [dead, alive, foreign, ".windlass-note.tmp"]) writeFileSync(join(root, temp), "half");
    await files.write("a.md", "C");
    expect(readdirSync(root).sort()).toEqual([".windlass-note.tmp", alive, foreign, "a.md", "big.md", "sub"].sort());
  });
});

describe("walking", () => {
  function tree(root: string, files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  }
  const walk = (root: string, options: WalkOptions = {}, path = "."): ReturnType<typeof walked> =>
    walked(open(root).walk(path, options));

  test("shows files, folders and links in order, and follows no link", async () => {
    const { root } = position();
    symlinkSync("../outside", join(root, "way-out"));
    symlinkSync(".", join(root, "self"));
    tree(root, { "z/y/x.md": "x", ".hidden": "h", ".git/HEAD": "ref" });
    const { paths, entries, end } = await walk(root);
    expect(paths).toEqual(["a.md", "self", "sub", "sub/a.md", "way-out", "z", "z/y", "z/y/x.md"]);
    expect(entries.filter(({ type }) => type === "link").map(({ name }) => name)).toEqual(["self", "way-out"]);
    expect(end).toEqual({ entries: 8, truncated: false, unreadable: [] });
    expect((await walk(root, { hidden: true })).paths).toContain(".hidden");
    expect((await walk(root, { hidden: true })).paths.some((path) => path.startsWith(".git"))).toBe(false);
  });

  test("obeys .gitignore files as git does", async () => {
    const { root } = position();
    tree(root, {
      ".gitignore": "*.log\n/build/\nnode_modules\n!keep.log\n",
      "x.log": "",
      "keep.log": "",
      "build/out.js": "",
      "node_modules/m/index.js": "",
      "sub/build/in.js": "",
      "sub/.gitignore": "!special.log\nb.md\n",
      "sub/special.log": "",
      "sub/other.log": "",
      "sub/b.md": "",
      "b.md": "",
    });
    const stored = ["a.md", "b.md", "keep.log", "sub", "sub/a.md", "sub/build", "sub/build/in.js", "sub/special.log"];
    expect((await walk(root)).paths).toEqual(stored);
    // Rules of parent folders apply if a walk starts further down.
    expect((await walk(root, {}, "sub")).paths).toEqual(stored.slice(4));
    expect((await walk(root, { gitignore: false })).paths).toContain("node_modules/m/index.js");
  });

  test("enters a folder that inner rules keep", async () => {
    const { root } = position();
    tree(root, {
      ".gitignore": "special/\n",
      "sub/.gitignore": "!special/\n",
      "sub/special/x.md": "",
      "special/y": "",
    });
    expect((await walk(root)).paths).toEqual(["a.md", "sub", "sub/a.md", "sub/special", "sub/special/x.md"]);
  });

  test("takes no harm from hostile rules", async () => {
    const { root } = position();
    tree(root, {
      ".gitignore": `${"*a".repeat(30)}b\n${"**/".repeat(40)}x\n\\\n[\n!\n(((\n${"x".repeat(100_000)}\n*.tmp\n`,
      [`${"a".repeat(200)}c`]: "",
      "b.tmp": "",
    });
    const started = performance.now();
    const { paths } = await walk(root);
    expect(paths).toContain(`${"a".repeat(200)}c`);
    expect(paths).not.toContain("b.tmp");
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test("ends at its depth, and says which folders it left unopened", async () => {
    const { root } = position();
    tree(root, { "a/b/c/d.md": "" });
    const { paths, entries } = await walk(root, { maxDepth: 2 });
    expect(paths).toEqual(["a", "a/b", "a.md", "sub", "sub/a.md"]);
    expect(entries.filter(({ unopened }) => unopened).map(({ path }) => path)).toEqual(["a/b"]);
  });

  test.each(rowsOf("file-tree").map((row) => [JSON.stringify(row.input), row] as const))(
    "%s",
    async (_name, row) => {
      const { root } = position();
      expect(row.expected).toBe("stops at maxEntries with truncated:true");
      const { entries: count } = row.input as { entries: number };
      const many = join(root, "many");
      mkdirSync(many);
      // Links to a few files: as many entries, and made faster. A file can have some 65,000 names.
      for (let at = 0; at < count; at++) {
        if (at % 50_000 === 0) writeFileSync(join(many, String(at)), "");
        else linkSync(join(many, String(at - (at % 50_000))), join(many, String(at)));
      }
      const started = performance.now();
      const { end, paths } = await walk(root, { maxEntries: 1000 });
      expect(end).toMatchObject({ truncated: true, entries: 1000 });
      expect(paths).toHaveLength(1000);
      expect(performance.now() - started).toBeLessThan(1000);
    },
    60_000,
  );

  test("is not truncated when the last entry is the last allowed one", async () => {
    const { root } = position();
    expect((await walk(root, { maxEntries: 3 })).end).toMatchObject({ truncated: false, entries: 3 });
    expect((await walk(root, { maxEntries: 2 })).end).toMatchObject({ truncated: true, entries: 2 });
  });

  test("names a folder that it cannot read, and continues", async () => {
    const { root } = position();
    tree(root, { "b/x.md": "", "c/x.md": "" });
    const steps = open(root).walk(".");
    const paths: string[] = [];
    let step = await steps.next();
    for (; step.done !== true; step = await steps.next()) {
      paths.push(step.value.path);
      // Removed between listing and opening.
      if (step.value.path === "b") rmSync(join(root, "b"), { recursive: true });
    }
    expect(step.value.unreadable).toEqual(["b"]);
    expect(paths).toEqual(["a.md", "b", "c", "c/x.md", "sub", "sub/a.md"]);
  });

  test("reads the current entry, and closes every folder when it is stopped early", async () => {
    const { root } = position();
    const before = descriptors();
    for await (const entry of open(root).walk(".")) {
      if (entry.path !== "sub/a.md") continue;
      expect((await entry.read({ maxBytes: 3 })).bytes.toString()).toBe("ins");
      expect(await entry.facts()).toMatchObject({ size: 6 });
      break;
    }
    expect(descriptors()).toBe(before);
  });

  test.each([
    ["a.md", "not_a_folder"],
    ["none", "not_found"],
    ["..", "traversal"],
    [".git", "path_denied"],
  ])("walking %j is refused (%s)", async (path, reason) => {
    const { root } = position();
    mkdirSync(join(root, ".git"));
    expect(await reasonOf(walk(root, {}, path))).toBe(reason);
  });

  test("stops when cancelled", async () => {
    const { root } = position();
    const controller = new AbortController();
    const steps = open(root).walk(".", { signal: controller.signal });
    await steps.next();
    controller.abort();
    expect(await reasonOf(steps.next())).toBe("aborted");
  });
});
