import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { isFailureError } from "../../base/index.ts";
import { type SandboxOptions, type SandboxResult, findPrograms, runSandboxed, sandboxStatus } from "./index.ts";
import { missingPrograms } from "./sandbox-programs.ts";

interface Row {
  readonly area: string;
  readonly input: string;
  readonly expected: string;
}

const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row[]).filter(
  ({ area }) => area === "sandbox",
);

const { available } = await sandboxStatus();

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function reasonOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
  } catch (error) {
    if (isFailureError(error)) return error.reason;
    throw error;
  }
  return "it went through";
}

/** Runs a script with the sandbox's Node, optionally with flags. */
function script(code: string, options: SandboxOptions = {}, flags: readonly string[] = []): Promise<SandboxResult> {
  return runSandboxed(["node", ...flags, "main.js"], { ...options, files: [{ path: "main.js", content: code }] });
}

/** Node's permission model, with read access to everything. */
const permission = ["--permission", "--allow-fs-read=*"];

/** Returns the processes of this machine whose command line contains this text. */
function running(mark: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark);
      } catch {
        return false;
      }
    });
}

/** Returns the processes that remain: the system takes a moment to end a killed process. */
async function left(mark: string): Promise<string[]> {
  const until = performance.now() + 2000;
  while (running(mark).length > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
  return running(mark);
}

/** Returns a sleep time that no other process of this machine uses. */
const mark = (): string => `${80_000 + Math.floor(Math.random() * 10_000)}.${process.pid}`;

/** The check for each row of the table. */
const cases: Readonly<Record<string, () => Promise<void>>> = {
  "process.kill(process.ppid)": async () => {
    const { stdout } = await script(`
      try { process.kill(process.ppid) } catch {}
      for (const pid of [${process.pid}, ${process.ppid}]) try { process.kill(pid, 0); console.log("reached") } catch {}
      console.log(process.pid < 50);`);
    expect(stdout).toBe("true\n");
  },
  "print 1 GB to stdout": async () => {
    const program = ["sh", "-c", "head -c 1073741824 /dev/zero"];
    const { stdout, ended, code } = await runSandboxed(program, { limits: { outputBytes: 100_000 } });
    expect([ended, stdout.length, code]).toEqual(["output", 100_000, 137]);
  },
  "Object.prototype.x=1": async () => {
    expect(await script("Object.prototype.x=1")).toMatchObject({ code: 0 });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  },
  "fetch('http://127.0.0.1:PORT') under --permission": async () => {
    let hits = 0;
    const server = createServer((_request, response) => {
      hits++;
      response.end("SECRET");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const code = `fetch("http://127.0.0.1:${port}").then((r) => r.text(), (e) => e.cause.code).then(console.log)`;
    for (const flags of [permission, []]) {
      expect((await script(code, {}, flags)).stdout).toBe("ECONNREFUSED\n");
    }
    expect(hits).toBe(0);
  },
  "child survives the parent": async () => {
    const seconds = mark();
    const code = `
      require("node:child_process").spawn("setsid", ["sh", "-c", "trap '' TERM HUP; sleep ${seconds} & wait"],
        { detached: true, stdio: "ignore" }).unref();
      setTimeout(() => process.exit(0), 200)`;
    expect(await script(code)).toMatchObject({ code: 0 });
    expect(await left(seconds)).toEqual([]);
  },
  "require('node:sqlite') read a DB outside the root under --permission": async () => {
    const folder = mkdtempSync(join(tmpdir(), "windlass-sandbox-"));
    closing.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "secret.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE t (v TEXT); INSERT INTO t VALUES ('SECRET')");
    database.close();
    const read = `
      const { DatabaseSync } = require("node:sqlite");
      console.log(new DatabaseSync(${JSON.stringify(path)}, { readOnly: true }).prepare("SELECT * FROM t").all())`;
    for (const flags of [permission, []]) {
      const { stdout, stderr, code } = await script(read, {}, flags);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("unable to open database file");
    }
  },
  "this.constructor.constructor('return process')()": async () => {
    const { stdout } = await script(`
      const inner = this.constructor.constructor('return process')();
      console.log(Object.keys(inner.env).sort().join(), inner.pid === ${process.pid}, inner.cwd())`);
    expect(stdout).toBe("HOME,LANG,PATH,PWD false /box\n");
  },
  "for(;;);": async () => {
    const started = performance.now();
    expect(await script("for(;;);", { limits: { timeMs: 700 } })).toMatchObject({ ended: "time", code: 137 });
    expect(performance.now() - started).toBeLessThan(5000);
  },
  "let a=[];for(;;)a.push(new Array(1e5).fill(1))": async () => {
    // Node would not start with less; its own limit is raised out of the way.
    const limits = { timeMs: 15_000, memoryBytes: 768 * 1_048_576 };
    const result = await script("console.log(1);let a=[];for(;;)a.push(new Array(1e5).fill(1))", { limits }, [
      "--max-old-space-size=4096",
    ]);
    expect(result).toMatchObject({ ended: "memory", code: 137, stdout: "1\n" });
    expect(result.durationMs).toBeLessThan(10_000);
  },
};

/** Rows whose expectation cannot hold literally: the behavior instead, and the reason. */
const instead: Readonly<Record<string, string>> = {
  "process.kill(process.ppid)": "the parent is the sandbox's own first process, which such a signal does not end",
  "this.constructor.constructor('return process')()":
    "there is a process, as the program is one; it is its own, and shows nothing of this one",
  "let a=[];for(;;)a.push(new Array(1e5).fill(1))":
    "killed at the limit of memory, which comes long before the deadline",
};

describe.skipIf(!available)("in the sandbox", () => {
  test.each(rows.map(({ input, expected }) => [input, instead[input] ?? expected] as const))(
    "%s: %s",
    async (input) => {
      const held = cases[input];
      expect(held, "a case for every row").toBeDefined();
      await held?.();
    },
  );

  test("there is no network, home, secret or other process, and the system is read-only", async () => {
    const { stdout } = await script(`
      const fs = require("node:fs"), os = require("node:os");
      const fails = (work) => { try { work(); return false } catch { return true } };
      console.log(JSON.stringify({
        interfaces: Object.keys(os.networkInterfaces()),
        top: fs.readdirSync("/").sort().join(),
        etc: fs.readdirSync("/etc").includes("shadow"),
        host: os.hostname(), user: os.userInfo().username,
        readOnly: ["/x", "/usr/x", "/etc/x", "/dev/x", "/opt/windlass/x"].every((path) => fails(() => fs.writeFileSync(path, ""))),
        writable: ["/box/x", "/tmp/x"].every((path) => !fails(() => fs.writeFileSync(path, ""))),
        processes: fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length,
      }))`);
    expect(JSON.parse(stdout)).toMatchObject({
      interfaces: ["lo"],
      etc: false,
      host: "sandbox",
      user: "sandbox",
      readOnly: true,
      writable: true,
      processes: 2,
    });
    expect(stdout).not.toMatch(/root|home|var|mnt|srv|boot|run/);
  });

  test("no further namespace can be created, and no privilege gained", async () => {
    const { stdout } = await runSandboxed([
      "sh",
      "-c",
      "unshare -U true 2>/dev/null || echo no; grep -E 'CapEff|NoNew' /proc/self/status",
    ]);
    expect(stdout.replace(/\s+/g, " ")).toBe("no CapEff: 0000000000000000 NoNewPrivs: 1 ");
  });

  test("a fork bomb ends at its limits, and none of its processes remains", async () => {
    const seconds = mark();
    const bomb = `bomb() { sleep ${seconds} & bomb | bomb; }; bomb`;
    const started = performance.now();
    const result = await runSandboxed(["sh", "-c", bomb], { limits: { timeMs: 1500, processes: 64 } });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(result.code).toBeGreaterThan(0);
    expect(await left(seconds)).toEqual([]);
  });

  test("many processes share one memory limit", async () => {
    // Each holds 110 MB until its output is read.
    const hoard = "(head -c 120000000 /dev/zero | tail -c 110000000 | (sleep 60; cat > /dev/null)) &";
    const limits = { timeMs: 15_000, memoryBytes: 400 * 1_048_576 };
    const result = await runSandboxed(["sh", "-c", `${hoard} ${hoard} ${hoard} ${hoard} ${hoard} wait`], { limits });
    expect(result).toMatchObject({ ended: "memory", code: 137 });
  });

  test("files and folders are limited in size", async () => {
    const fill = "for i in 1 2 3 4; do head -c 3000000 /dev/zero > /box/$i || exit 1; done";
    const limits = { diskBytes: 8_000_000, fileBytes: 4_000_000 };
    expect(await runSandboxed(["sh", "-c", fill], { limits })).toMatchObject({ code: 1 });
    const one = await runSandboxed(["sh", "-c", "head -c 5000000 /dev/zero > /box/one; wc -c < /box/one"], {
      limits,
    });
    expect(Number(one.stdout)).toBeLessThanOrEqual(4_000_000);
  });

  test("a cancelled program is killed, with all its processes", async () => {
    const seconds = mark();
    const controller = new AbortController();
    const work = runSandboxed(["sh", "-c", `sleep ${seconds} & echo on; sleep ${seconds}`], {
      signal: controller.signal,
    });
    const ended = reasonOf(work);
    while (running(`sleep\0${seconds}`).length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort();
    expect(await ended).toBe("aborted");
    expect(await left(seconds)).toEqual([]);
    expect(await reasonOf(runSandboxed(["true"], { signal: AbortSignal.abort() }))).toBe("aborted");
  });

  test("files are written to their folders, byte for byte", async () => {
    const files = [
      { path: "a/b/c.bin", content: Buffer.from([0, 255, 10]) },
      { path: "长.txt", content: "文".repeat(200_000) },
      { path: "./a/d.txt", content: "" },
    ];
    const { stdout } = await runSandboxed(["sh", "-c", "od -An -tx1 a/b/c.bin; wc -c < 长.txt; wc -c < a/d.txt"], {
      files,
    });
    expect(stdout.replace(/\s+/g, " ")).toBe(" 00 ff 0a 600000 0 ");
  });

  test("arguments reach the program unchanged", async () => {
    const args = ["$(id)", "`id`", "; id", "--help", "a b", "*", ""];
    const { stdout } = await script("console.log(JSON.stringify(process.argv.slice(2)))").then(() =>
      runSandboxed(["node", "-e", "console.log(JSON.stringify(process.argv.slice(1)))", "--", ...args]),
    );
    expect(JSON.parse(stdout)).toEqual(args);
  });

  test("an exit code and a missing program are results", async () => {
    expect(await runSandboxed(["sh", "-c", "echo out; echo err >&2; exit 7"])).toMatchObject({
      code: 7,
      stdout: "out\n",
      stderr: "err\n",
    });
    expect(await runSandboxed(["no-such-program"])).toMatchObject({ code: 127 });
  });
});

test.each([
  [[{ path: "../x", content: "" }]],
  [[{ path: "/etc/passwd", content: "" }]],
  [[{ path: "", content: "" }]],
  [[{ path: "a\0b", content: "" }]],
  [
    [
      { path: "a", content: "" },
      { path: "a/b", content: "" },
    ],
  ],
])("files with bad paths are refused: %j", async (files) => {
  expect(await reasonOf(runSandboxed(["true"], { files }))).toBe("bad_files");
});

test("too many files, too large ones, and no command are refused", async () => {
  const many = Array.from({ length: 201 }, (_, at) => ({ path: String(at), content: "" }));
  expect(await reasonOf(runSandboxed(["true"], { files: many }))).toBe("bad_files");
  expect(await reasonOf(runSandboxed(["true"], { files: [{ path: "a", content: Buffer.alloc(9_000_000) }] }))).toBe(
    "bad_files",
  );
  expect(await reasonOf(runSandboxed([]))).toBe("bad_files");
  expect(await reasonOf(runSandboxed(["a\0"]))).toBe("bad_files");
});

test.skipIf(process.platform !== "linux")("[H25] a missing program is named before a call and by a call", async () => {
  const empty = mkdtempSync(join(tmpdir(), "windlass-empty-"));
  closing.push(() => rmSync(empty, { recursive: true }));
  await expect(findPrograms([empty])).rejects.toMatchObject({ code: "not_available", reason: "not_installed" });
  const reason = missingPrograms([empty]);
  expect(reason).toMatch(/^the sandbox needs bubblewrap; install .*apt-get install bubblewrap/);
  await expect(findPrograms([empty])).rejects.toThrow(reason);
});

test.skipIf(process.platform !== "linux").each([
  ["bwrap: Unknown option --disable-userns", "too_old", "0.8 or newer"],
  [
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow it",
    "no_namespaces",
    "sysctl",
  ],
  ["bwrap: setting up uid map: Permission denied", "no_namespaces", "sysctl"],
  ["bwrap: Can't find source path /root/node: Permission denied", "unreadable", "every user can read"],
  ["bwrap: something new", "setup_failed", "something new"],
])("a sandbox that cannot be created reports why: %s", async (complaint, reason, advice) => {
  const folder = mkdtempSync(join(tmpdir(), "windlass-bwrap-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  const { chmodSync, writeFileSync } = await import("node:fs");
  const bubblewrap = join(folder, "bwrap");
  writeFileSync(bubblewrap, `#!/bin/sh\nprintf '%s\\n' "${complaint}" >&2\nexit 1\n`);
  for (const path of [folder, bubblewrap]) chmodSync(path, 0o755);
  const status = await sandboxStatus({ programs: { bubblewrap, prlimit: "/usr/bin/prlimit" } });
  expect(status).toMatchObject({ available: false, reason, message: expect.stringContaining(advice) });
});
