import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, test } from "vitest";
import { always, childrenOf, connecting, failureOf, runs, testServer, textOf } from "./connecting.ts";

const mode = (name: string) => testServer("plain-server.ts", name);
const good = mode("good");

describe("a server that does not complete the handshake", () => {
  test("a server that exits immediately fails with its exit code and its last output", async () => {
    const { connect, stateDir } = connecting();
    const failure = await failureOf(connect(mode("exits")));
    expect(failure).toMatchObject({ code: "not_available", reason: "exited" });
    expect(failure.message).toContain("ended with code 3; it wrote: cannot read the settings | bye");
    expect(failure.toFailure()).toMatchObject({ retry: "safe", forModel: 'the MCP server "test" cannot be started' });
    expect(childrenOf(stateDir)).toEqual([]);
  });

  test.each(["silent", "deaf"])(
    "a server that never answers (%s) fails in time, and all its processes end",
    async (name) => {
      const { connect, stateDir } = connecting({ limits: { handshakeMs: 300, probeMs: 100, endMs: 50 } });
      const connection = failureOf(connect(mode(name)));
      await expect.poll(() => childrenOf(stateDir)).toHaveLength(1);
      const [pid] = childrenOf(stateDir);
      const failure = await connection;
      expect(failure).toMatchObject({ code: "not_available", reason: "no_handshake" });
      expect(failure.message).toContain("did not complete the handshake within 0.3 s");
      expect(runs(pid!)).toBe(false);
      expect(childrenOf(stateDir)).toEqual([]);
    },
  );

  test("a server that refuses, or speaks another version, is not retried", async () => {
    const { connect } = connecting();
    for (const name of ["refuses", "unknown-version"]) {
      const failure = await failureOf(connect(mode(name)));
      expect(failure.toFailure("safe")).toMatchObject({
        code: "not_available",
        reason: "handshake_failed",
        retry: "never",
      });
    }
    expect((await failureOf(connect(mode("refuses")))).message).toContain("not today");
  });

  test("a server is ended if the caller cancels", async () => {
    const { connect, stateDir } = connecting({ limits: { endMs: 50 } });
    const cancel = new AbortController();
    const connection = failureOf(connect(mode("silent"), { signal: cancel.signal }));
    await expect.poll(() => childrenOf(stateDir)).toHaveLength(1);
    cancel.abort();
    expect(await connection).toMatchObject({ code: "cancelled" });
    expect(childrenOf(stateDir)).toEqual([]);
    expect(await failureOf(connect(good, { signal: AbortSignal.abort() }))).toMatchObject({ code: "cancelled" });
  });
});

describe("a server that ends", () => {
  test("fails the calls in flight as possibly executed, reports its end, and can be connected to again", async () => {
    const { connect, reported, stateDir } = connecting();
    const connection = await connect(good);
    const hanging = [1, 2, 3].map(() => failureOf(connection.callTool("hang", {}, { signal: always })));
    const exiting = failureOf(connection.callTool("exit", {}, { signal: always }));
    for (const failure of await Promise.all([...hanging, exiting])) {
      expect(failure.toFailure("safe")).toMatchObject({
        code: "not_available",
        reason: "connection_lost",
        retry: "unsafe",
      });
      expect(failure.message).toContain("ended with code 7");
    }
    await expect.poll(() => reported.ends).toMatchObject([{ reason: "connection_lost" }]);
    const after = await failureOf(connection.callTool("echo", {}, { signal: always }));
    expect(after.toFailure("unsafe").retry).toBe("safe");
    await expect.poll(() => childrenOf(stateDir)).toEqual([]);
    const again = await connect(good);
    expect(await textOf(again.callTool("echo", { message: "back" }, { signal: always }))).toBe("back");
  });

  test("ends the programs of its process group too", async () => {
    const { connect, stateDir } = connecting({ limits: { endMs: 100 } });
    const connection = await connect(good);
    const left = Number(await textOf(connection.callTool("leave", {}, { signal: always })));
    expect(runs(left)).toBe(true);
    process.kill(childrenOf(stateDir)[0]!, "SIGKILL");
    await expect.poll(() => runs(left), { timeout: 3_000 }).toBe(false);
    await expect.poll(() => childrenOf(stateDir)).toEqual([]);
  });

  test("ends the programs that it started in another session, when it is closed and when it dies", async () => {
    const { connect, stateDir } = connecting({ limits: { endMs: 100 } });
    const connection = await connect(good);
    const left = Number(await textOf(connection.callTool("leave", { detached: true }, { signal: always })));
    expect(runs(left)).toBe(true);
    await connection.close();
    expect([runs(left), childrenOf(stateDir)]).toEqual([false, []]);
    const again = await connect(good);
    const other = Number(await textOf(again.callTool("leave", { detached: true }, { signal: always })));
    process.kill(childrenOf(stateDir)[0]!, "SIGKILL");
    await expect.poll(() => runs(other), { timeout: 3_000 }).toBe(false);
  });

  test("although it ignores the end of its input and SIGTERM", async () => {
    const { connect, stateDir } = connecting({ limits: { endMs: 100 } });
    const connection = await connect(mode("stubborn"));
    const left = Number(await textOf(connection.callTool("leave", {}, { signal: always })));
    const [pid] = childrenOf(stateDir);
    const began = performance.now();
    await connection.close();
    expect(performance.now() - began).toBeLessThan(5_000);
    expect([runs(pid!), runs(left), childrenOf(stateDir)]).toEqual([false, false, []]);
  });
});

describe("a server that sends too much", () => {
  test("an answer of 50 MB fails that call with the limit, and the connection stays open", async () => {
    const { connect } = connecting({ limits: { messageBytes: 2 ** 20 } });
    const connection = await connect(good);
    const other = connection.callTool("slow", { ms: 500 }, { signal: always });
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const failure = await failureOf(connection.callTool("big", { bytes: 50_000_000 }, { signal: always }));
    delay.disable();
    expect(failure.toFailure("safe")).toMatchObject({ code: "output_invalid", reason: "too_large", retry: "never" });
    expect(failure.message).toMatch(/has 500\d{5} bytes; the maximum is 1048576/);
    expect(delay.max / 1e6).toBeLessThan(500);
    expect(await textOf(other)).toBe("done");
    expect((await textOf(connection.callTool("big", { bytes: 1_000_000 }, { signal: always }))).length).toBeGreaterThan(
      1e6,
    );
  });

  test("a server that floods notifications is read more slowly, and other calls continue", async () => {
    const { connect, reported } = connecting({ limits: { notificationsPerSecond: 500, endMs: 200 } });
    const connection = await connect(good);
    const flood = connection.callTool("flood", {}, { signal: AbortSignal.timeout(1_500) }).catch(() => undefined);
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    await flood;
    delay.disable();
    expect(delay.percentile(99) / 1e6).toBeLessThan(300);
    expect(reported.lines.filter((line) => line.includes("floods"))).toHaveLength(1);
    expect(reported.lines.length).toBeLessThan(500);
  });

  test("a burst of notifications is read to the end", async () => {
    const { connect } = connecting({ limits: { notificationsPerSecond: 100_000 } });
    const connection = await connect(good);
    expect(await textOf(connection.callTool("burst", { count: 20_000 }, { signal: always }))).toBe("burst");
  });

  test("the log of a server does not fill ours", async () => {
    const { connect, reported } = connecting({ limits: { logLinesPerSecond: 20 } });
    const connection = await connect(mode("noisy"));
    await connection.callTool("slow", { ms: 1_200 }, { signal: always });
    expect(reported.lines.length).toBeGreaterThan(5);
    expect(reported.lines.length).toBeLessThan(120);
    expect(Math.max(...reported.lines.map((line) => line.length))).toBeLessThan(2_100);
  });

  test.each(["endless-list", "same-cursor"])("an endless list (%s) is not read without end", async (name) => {
    const { connect } = connecting({ limits: { listPages: 20 } });
    const connection = await connect(mode(name));
    expect(await failureOf(connection.listTools(always))).toMatchObject({
      code: "output_invalid",
      reason: "list_too_long",
    });
  });

  test("an invalid definition is ignored, and the others are used", async () => {
    const { connect, reported } = connecting();
    const connection = await connect(mode("broken-list"));
    const names = (await connection.listTools(always)).map(({ name }) => name);
    expect(names).toContain("echo");
    expect(names).not.toContain("unfit");
    expect(reported.lines.join("\n")).toContain('the tool "unfit" has no input schema');
  });
});
