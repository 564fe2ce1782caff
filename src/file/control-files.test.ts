import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { isFailureError } from "../base/index.ts";
import { type ControlPath, type FileAccess, createFileAccess } from "./index.ts";

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function folder(files: Record<string, string> = {}): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "windlass-control-")));
  made.push(dir);
  const root = join(dir, "root");
  for (const [path, text] of Object.entries({ "notes/a.md": "A", ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** File access to a folder in which `tools`, `conf.yaml` and every `windlass.yaml` are control files. */
function guarded(root: string, more: readonly ControlPath[] = []): FileAccess {
  const control: ControlPath[] = [
    { path: join(root, "tools"), role: "the tools", hint: "set files: { editable: [tools] }", followLinks: true },
    { path: join(root, "conf.yaml"), role: "the settings" },
    { path: "windlass.yaml", role: "the settings" },
    ...more,
  ];
  return createFileAccess({ roots: [{ path: root, write: true }], controlPaths: () => control });
}

async function failureOf(work: Promise<unknown>): Promise<{ reason: string | undefined; message: string }> {
  const error: unknown = await work.then(
    () => new Error("it was written"),
    (thrown: unknown) => thrown,
  );
  if (!isFailureError(error)) throw error;
  return { reason: error.reason, message: error.message };
}

async function reasonOf(work: Promise<unknown>): Promise<string | undefined> {
  return (await failureOf(work)).reason;
}

const parents = { createParents: true };

describe("control files", () => {
  test.each([
    "tools/evil.mjs",
    "tools/deep/evil.mjs",
    "tools",
    "Tools/evil.mjs",
    "TOOLS/evil.mjs",
    "conf.yaml",
    "CONF.YAML",
    "con\uff46.yaml",
    "windlass.yaml",
    "sub/windlass.yaml",
    "sub/Windlass.YAML",
  ])("[S1] %s cannot be written, whether it exists or not", async (path) => {
    const root = folder();
    expect(await reasonOf(guarded(root).write(path, "x", parents))).toBe("control_file");
    expect(existsSync(join(root, "tools"))).toBe(false);
    expect(existsSync(join(root, "sub"))).toBe(false);
  });

  test("[S1] an existing control file can be read, and neither written nor edited", async () => {
    const root = folder({ "tools/a.mjs": "export {}", "conf.yaml": "a: 1" });
    const files = guarded(root);
    expect((await files.read("tools/a.mjs")).bytes.toString()).toBe("export {}");
    for (const path of ["tools/a.mjs", "conf.yaml", join(root, "conf.yaml")]) {
      expect(await reasonOf(files.write(path, "x"))).toBe("control_file");
      expect(await reasonOf(files.edit(path, () => Buffer.from("x")))).toBe("control_file");
    }
    expect(readFileSync(join(root, "tools/a.mjs"), "utf8")).toBe("export {}");
  });

  test("[S1] the message names the setting that opens a kind, or says to edit the file oneself", async () => {
    const files = guarded(folder());
    expect((await failureOf(files.write("tools/a.mjs", "x", parents))).message).toBe(
      "tools/a.mjs belongs to the tools, a control file that tools cannot write; set files: { editable: [tools] }",
    );
    expect((await failureOf(files.write("conf.yaml", "x"))).message).toContain("edit it yourself");
  });

  test("[S1] files with similar names, and other files, can be written", async () => {
    const root = folder();
    const files = guarded(root);
    for (const path of ["toolsets/a.mjs", "notes/tools/a.mjs", "conf.yaml.md", "notes/conf.yaml", "notes/a.md"]) {
      await files.write(path, "x", parents);
      expect(readFileSync(join(root, path), "utf8")).toBe("x");
    }
  });

  test("[S1] a link to a control file, or to its folder, does not open it, whenever it was made", async () => {
    const root = folder({ "tools/a.mjs": "export {}", "conf.yaml": "a: 1" });
    const files = guarded(root);
    symlinkSync("../tools", join(root, "notes/t"));
    symlinkSync("../conf.yaml", join(root, "notes/c.md"));
    symlinkSync(root, join(root, "self"));
    for (const path of ["notes/t/new.mjs", "notes/t/a.mjs", "notes/c.md", "self/conf.yaml", "self/tools/x/y.mjs"]) {
      expect(await reasonOf(files.write(path, "x", parents))).toBe("control_file");
    }
    expect(readFileSync(join(root, "conf.yaml"), "utf8")).toBe("a: 1");
  });

  test("[S1] the target of a link in a control folder is a control file, even if it does not exist yet", async () => {
    const root = folder({ "tools/a.mjs": "", "lib/b.mjs": "b", "more/c.mjs": "c", "more/d.md": "d" });
    const files = guarded(root);
    await files.write("lib/b.mjs", "still free");
    symlinkSync("../lib/b.mjs", join(root, "tools/b.mjs"));
    symlinkSync("../lib/later.mjs", join(root, "tools/later.mjs"));
    symlinkSync("../more", join(root, "tools/more"));
    symlinkSync("../notes/a.md", join(root, "more/link.mjs"));
    for (const path of ["lib/b.mjs", "lib/later.mjs", "more/c.mjs", "more/new.mjs", "notes/a.md"]) {
      expect(await reasonOf(files.write(path, "x"))).toBe("control_file");
    }
    await files.write("lib/other.mjs", "x");
  });

  test("[S1] a control folder that is itself a link is closed under both names", async () => {
    const root = folder({ "lib/tools/a.mjs": "" });
    symlinkSync("lib/tools", join(root, "tools"));
    const files = guarded(root);
    expect(await reasonOf(files.write("tools/x.mjs", "x"))).toBe("control_file");
    expect(await reasonOf(files.write("lib/tools/x.mjs", "x"))).toBe("control_file");
    await files.write("lib/x.mjs", "x");
  });

  test("[S1] a root that is reached through a link has the same control files", async () => {
    const root = folder();
    const alias = join(dirname(root), "alias");
    symlinkSync(root, alias);
    expect(await reasonOf(guarded(alias).write("tools/x.mjs", "x", parents))).toBe("control_file");
    expect(await reasonOf(guarded(alias).write("conf.yaml", "x"))).toBe("control_file");
  });

  test.runIf(process.platform === "linux")(
    "[S1] another name of the same file or folder is recognized by its inode",
    async () => {
      const root = folder({ "notes/b.md": "B", "other/c.md": "C" });
      // Control paths that have other names than the paths that are written: as on a disk that is mounted twice.
      const twins: ControlPath[] = [
        { path: join(root, "twin.md"), role: "a twin" },
        { path: "/proc/self/root" + join(root, "other"), role: "a mount" },
      ];
      linkSync(join(root, "notes/b.md"), join(root, "twin.md"));
      const files = guarded(root, twins);
      expect(await reasonOf(files.write("notes/b.md", "x"))).toMatch(/^(?:control_file|hard_link)$/);
      expect(await reasonOf(files.write("other/c.md", "x"))).toBe("control_file");
      expect(readFileSync(join(root, "twin.md"), "utf8")).toBe("B");
    },
  );

  test("[S1] a path that is protected only as a file does not protect a folder of that name", async () => {
    const root = folder({ "data/x.md": "" });
    const files = guarded(root, [
      { path: join(root, "data"), role: "a command", onlyFile: true },
      { path: join(root, "out"), role: "a command", onlyFile: true },
    ]);
    await files.write("data/x.md", "x");
    await files.write("out/new.md", "x", parents);
    expect(readFileSync(join(root, "out/new.md"), "utf8")).toBe("x");
  });
});

describe("hard links", () => {
  function linked(): string {
    const root = folder();
    writeFileSync(join(dirname(root), "secret.txt"), "SECRET");
    linkSync(join(dirname(root), "secret.txt"), join(root, "notes/twin.md"));
    return root;
  }
  const open = (root: string, hardLinks?: boolean): FileAccess =>
    createFileAccess({ roots: [{ path: root, write: true }], ...(hardLinks !== undefined && { hardLinks }) });

  test("[S20] [H11] a file with several names is not read, and the error names the setting", async () => {
    const root = linked();
    const { reason, message } = await failureOf(open(root).read("notes/twin.md"));
    expect(reason).toBe("hard_link");
    expect(message).toContain("files: { hard_links: true } in windlass.yaml");
    for await (const entry of open(root).walk("notes")) {
      if (entry.name !== "twin.md") continue;
      expect(await reasonOf(entry.read({ maxBytes: 10 }))).toBe("hard_link");
    }
  });

  test("[S20] [H11] it is read with hardLinks, and never written", async () => {
    const root = linked();
    const files = open(root, true);
    expect((await files.read("notes/twin.md")).bytes.toString()).toBe("SECRET");
    expect(await reasonOf(files.write("notes/twin.md", "x"))).toBe("hard_link");
    expect(await reasonOf(files.edit("notes/twin.md", () => Buffer.from("x")))).toBe("hard_link");
    expect(await reasonOf(open(root).write("notes/twin.md", "x"))).toBe("hard_link");
    expect(readFileSync(join(root, "notes/twin.md"), "utf8")).toBe("SECRET");
  });
});

describe("closed names", () => {
  test.each([
    ".vault-token",
    ".s3cfg",
    ".rclone.conf",
    ".config/rclone/rclone.conf",
    "infra/terraform.tfstate",
    "terraform.tfstate.backup",
    "terraform.tfstate.d/prod/terraform.tfstate",
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
    ".env~",
    ".env.bak",
    ".ENV~",
    "#.env#",
    ".#.env",
    ".npmrc.swp",
    "id_rsa.bak",
    "id_rsa~",
    ".id_rsa.swp",
    "id_ed25519.old",
    "id_rsa (copy)",
    "id_rsa copy 2",
    "server.key.bak",
    "server.key.old.1",
    "tls/server.pem~",
    "server.pem.orig",
    "backup.key_old",
  ])("[S20] %s is closed", async (path) => {
    const root = folder({ [path]: "SECRET" });
    const files = createFileAccess({ roots: [{ path: root, write: true }] });
    expect(await reasonOf(files.read(path))).toBe("path_denied");
    expect(await reasonOf(files.write(path, "x"))).toBe("path_denied");
  });

  test.each(["id_rsa.pub", "notes.bak", "keynote.md", ".env.example", "report.old", "history.md", "copy.md", "a.1"])(
    "[S20] %s stays open",
    async (path) => {
      const root = folder({ [path]: "text" });
      const files = createFileAccess({ roots: [{ path: root, write: true }] });
      expect((await files.read(path)).bytes.toString()).toBe("text");
    },
  );
});

describe("bound writes", () => {
  test("[S21] a write that is bound to a real path does not follow a link made since", async () => {
    const root = folder({ "notes/b.md": "B", "other/a.md": "other" });
    const files = createFileAccess({ roots: [{ path: root, write: true }] });
    const { realPath, path } = await files.findTarget("notes/a.md");
    expect({ realPath, path }).toEqual({ realPath: join(root, "notes/a.md"), path: "notes/a.md" });
    await files.write("notes/a.md", "1", { realPath });
    rmSync(join(root, "notes"), { recursive: true });
    symlinkSync("other", join(root, "notes"));
    expect(await reasonOf(files.write("notes/a.md", "2", { realPath }))).toBe("redirected");
    expect(await reasonOf(files.edit("notes/a.md", () => Buffer.from("2"), { realPath }))).toBe("redirected");
    expect(readFileSync(join(root, "other/a.md"), "utf8")).toBe("other");
    expect(await files.findTarget("notes/a.md")).toEqual({ realPath: join(root, "other/a.md"), path: "other/a.md" });
    expect((await files.findTarget("notes/new/x.md")).path).toBe("other/new/x.md");
  });
});
