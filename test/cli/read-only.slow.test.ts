import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeFiles } from "../support/workspace.ts";
import { folder, windlass } from "./windlass.ts";

const chain = "name: greet\nsteps:\n  - { id: say, tool: echo, params: { message: hello } }\n";
const isRoot = process.getuid?.() === 0;
const otherUser = 65_534;

/** A way to make a folder read-only, also for root, who ignores the modes of files. */
interface Protection {
  readonly dir: string;
  /** User that the program runs as, if another one. */
  readonly uid?: number;
  protect(): void;
  release(): void;
}

function byMode(): Protection {
  const dir = mkdtempSync(join(tmpdir(), "windlass-read-only-"));
  const each = (path: string, apply: (path: string, isFolder: boolean) => void): void => {
    const isFolder = statSync(path).isDirectory();
    if (isFolder) for (const name of readdirSync(path)) each(join(path, name), apply);
    apply(path, isFolder);
  };
  return {
    dir,
    ...(isRoot && { uid: otherUser }),
    protect: () =>
      each(dir, (path, isFolder) => {
        if (isRoot) chownSync(path, otherUser, otherUser);
        chmodSync(path, isFolder ? 0o555 : 0o444);
      }),
    release: () => {
      chmodSync(dir, 0o755);
      if (readdirSync(dir).includes(".windlass")) chmodSync(join(dir, ".windlass"), 0o755);
      rmSync(dir, { recursive: true });
    },
  };
}

/** Undefined if this user cannot mount. */
function byMount(): Protection | undefined {
  const dir = mkdtempSync(join(tmpdir(), "windlass-read-only-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", dir], { stdio: "ignore" });
  } catch {
    rmSync(dir, { recursive: true });
    return undefined;
  }
  return {
    dir,
    protect: () => void execFileSync("mount", ["-o", "remount,ro", dir]),
    release: () => {
      execFileSync("umount", [dir]);
      rmSync(dir, { recursive: true });
    },
  };
}

/** Runs the program in a protected folder. */
const runIn =
  ({ dir, uid }: Protection) =>
  (...words: string[]) =>
    windlass(words, { cwd: dir, ...(uid !== undefined && { uid }) });

describe.each([
  ["by its mode", byMode],
  ["by its mount", byMount],
])("[F11] a folder that is read-only %s", (_, make) => {
  describe("with a database", () => {
    const protection = make();
    let runId = "";
    beforeAll(async () => {
      if (protection === undefined) return;
      const { dir } = protection;
      await writeFiles(dir, { "windlass.yaml": "", "chains/greet.yaml": chain });
      await windlass(["call", "echo", "message=first"], { cwd: dir });
      await windlass(["run", "greet"], { cwd: dir });
      runId = (JSON.parse((await windlass(["runs", "--json"], { cwd: dir })).stdout) as [{ run_id: string }])[0].run_id;
      protection.protect();
    });
    afterAll(() => protection?.release());

    test("is read by runs, show, explain, records, stats and approvals", async ({ skip }) => {
      if (protection === undefined) return skip("only root can mount");
      const run = runIn(protection);
      const [runs, show, explain, records, stats, approvals] = await Promise.all([
        run("runs"),
        run("show", runId),
        run("explain", runId, "say"),
        run("records"),
        run("stats"),
        run("approvals"),
      ]);
      expect(runs.stdout).toContain(`${runId}  success`);
      expect(show.stdout).toContain("hello");
      expect(explain.stdout).toContain("hello");
      expect(records.stdout).toMatch(/echo/);
      expect(stats.stdout).toMatch(/echo/);
      for (const { code, stderr } of [runs, show, explain, records, stats, approvals]) {
        expect({ code, stderr: stderr.replace("No pending approvals.\n", "") }).toEqual({ code: 0, stderr: "" });
      }
      expect(readdirSync(join(protection.dir, ".windlass")).toSorted()).toEqual([".gitignore", "journal.db", "origin"]);
    });

    test("lets pure tools be called, with a warning, and no others", async ({ skip }) => {
      if (protection === undefined) return skip("only root can mount");
      const run = runIn(protection);
      const [pure, read, pruned] = await Promise.all([
        run("call", "calculator", "expression=6*7"),
        run("call", "read_file", "path=windlass.yaml"),
        run("prune", "--days", "1"),
      ]);
      expect(JSON.parse(pure.stdout)).toMatchObject({ result: 42 });
      expect(pure).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^warning: the call was not recorded: .*read-only/),
      });
      expect(read).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/read-only.*\[store_failed: read_only/s),
      });
      expect(pruned).toMatchObject({ code: 1, stderr: expect.stringMatching(/\[store_failed: read_only/) });
    });

    test("is reported by doctor", async ({ skip }) => {
      if (protection === undefined) return skip("only root can mount");
      const { stdout } = await runIn(protection)("doctor");
      expect(stdout).toMatch(/^ok +database .*2 records, 1 run.*intact/m);
      expect(stdout).toMatch(/^warn +database .*journal\.db is read-only for this user: only pure tools/m);
    });
  });

  describe("without a database", () => {
    const protection = make();
    beforeAll(async () => {
      if (protection === undefined) return;
      await mkdir(join(protection.dir, "chains"));
      writeFileSync(join(protection.dir, "windlass.yaml"), "");
      protection.protect();
    });
    afterAll(() => protection?.release());

    test("lets pure tools be called, has no runs, and is reported by doctor", async ({ skip }) => {
      if (protection === undefined) return skip("only root can mount");
      const run = runIn(protection);
      const [pure, runs, doctor] = await Promise.all([
        run("call", "calculator", "expression=6*7"),
        run("runs"),
        run("doctor"),
      ]);
      expect(JSON.parse(pure.stdout)).toMatchObject({ result: 42 });
      expect(pure.stderr).toMatch(/^warning: the call was not recorded: the folder .* is read-only for this user/);
      expect(runs).toMatchObject({ code: 0, stderr: "No runs yet.\n" });
      expect(doctor.stdout).toMatch(/^warn +database +\. is read-only for this user/m);
    });
  });
});

test("[F16] runs, show, records, stats and approvals start no thread", async () => {
  const cwd = await folder({ "windlass.yaml": "", "chains/greet.yaml": chain });
  await windlass(["run", "greet"], { cwd });
  const [{ run_id: runId = "" } = {}] = JSON.parse((await windlass(["runs", "--json"], { cwd })).stdout);
  const withoutThreads = `process.getBuiltinModule("node:worker_threads").Worker = class { constructor() { throw new Error("a thread was started"); } };`;
  const nodeArgs = ["--import", `data:text/javascript,${encodeURIComponent(withoutThreads)}`];
  const commands = [["runs"], ["show", runId], ["records"], ["stats"], ["stats", "--chains"], ["approvals"]];
  const results = await Promise.all(commands.map((words) => windlass(words, { cwd, nodeArgs })));
  for (const { code, stderr } of results) expect([code, stderr]).toEqual([0, expect.not.stringContaining("thread")]);
});
