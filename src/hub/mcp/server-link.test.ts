import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "../../../test/support/fake-clock.ts";
import { FakeServer, definition, fakeWorkspace } from "../../../test/support/fake-mcp.ts";
import { fail } from "../../base/index.ts";

const read = { annotations: { readOnlyHint: true } };

describe("connections", () => {
  test("calls share one; those under way when it dies fail with a verdict by effect, the next ones connect again", async () => {
    const server = new FakeServer(definition("reads", read), definition("writes"));
    const { source, engine } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    source.approve(source.review("server"));
    server.handler = () => new Promise(() => {});
    const calls = ["reads", "writes", "writes"].map((name) => engine.call(`server/${name}`, {}, { maxRetries: 0 }));
    await settle();
    server.kill();
    const verdicts = (await Promise.all(calls)).map((result) => (result.success ? "" : result.error.retry));
    expect(verdicts).toEqual(["safe", "unsafe", "unsafe"]);
    server.handler = () => ({ isError: false, content: [{ type: "text", text: "back" }] });
    expect(await engine.call("server/writes", {})).toMatchObject({ output: "back" });
    expect(server.connects).toBe(2);
    await source.close();
  });

  test("a call that may run again survives the death of its server", async () => {
    const server = new FakeServer(definition("reads", read));
    const { source, engine } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    source.approve(source.review("server"));
    server.handler = () => {
      if (server.connects === 1) server.kill();
      return server.connects === 1
        ? new Promise(() => {})
        : { isError: false, content: [{ type: "text", text: "ok" }] };
    };
    expect(await engine.call("server/reads", {})).toMatchObject({ output: "ok", meta: { attempts: 2 } });
    await source.close();
  });

  test("a call whose connection ended before it was sent is sent over a new connection, once", async () => {
    const server = new FakeServer(definition("writes"));
    const { source, engine } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    const over = fail("Not connected", { code: "not_available", reason: "not_sent", retry: "safe" });
    server.handler = () => {
      if (server.connects === 1) throw over;
      return { isError: false, content: [{ type: "text", text: "sent" }] };
    };
    const call = (): ReturnType<typeof engine.call> => engine.call("server/writes", {}, { maxRetries: 0 });
    expect(await call()).toMatchObject({ output: "sent", meta: { attempts: 1 } });
    expect(server.connects).toBe(2);
    server.handler = () => {
      throw over;
    };
    expect(await call()).toMatchObject({ error: { reason: "not_sent", retry: "safe" } });
    expect(server.connects).toBe(3);
    await source.close();
  });

  test("a server that is not in mcp.json any more is not connected to again for a call that was not sent", async () => {
    const server = new FakeServer(definition("writes"));
    const { source, engine, dir } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    const ends = Promise.withResolvers<never>();
    server.handler = () => ends.promise;
    const call = engine.call("server/writes", {}, { maxRetries: 0 });
    await settle();
    writeFileSync(join(dir, "mcp.json"), '{ "mcpServers": {} }');
    const loading = source.load();
    await expect.poll(() => source.status()).toEqual([]);
    ends.reject(fail("Not connected", { code: "not_available", reason: "not_sent", retry: "safe" }));
    expect(await call).toMatchObject({ error: { reason: "not_sent" } });
    await loading;
    expect(server.connects).toBe(1);
    await source.close();
  });

  test("a server that fails repeatedly cools down, is probed by one call, and is used when it works", async () => {
    const clock = new FakeClock();
    const server = new FakeServer(definition("a", read));
    const first = await fakeWorkspace({ server });
    await first.source.load();
    await first.source.prepare();
    await first.source.close();
    const { source, engine } = first.again({ clock });
    await source.load();
    server.refuses = fail("no route", { code: "not_available", reason: "unreachable" });
    const call = async (): Promise<{
      reason?: string | undefined;
      message?: string;
      retryAfterMs?: number | undefined;
    }> => {
      const running = engine.call("server/a", {}, { maxRetries: 0 });
      await clock.pass(300);
      const result = await running;
      return result.success ? {} : result.error;
    };
    expect((await call()).reason).toBe("unreachable");
    expect((await call()).reason).toBe("unreachable");
    expect((await call()).reason).toBe("unreachable");
    const tries = server.connects;
    const refused = await call();
    expect(refused).toMatchObject({ reason: "server_down", retryAfterMs: expect.any(Number) });
    expect(refused.message).toMatch(/has not worked for .*3 failures in a row.*the next attempt is in .*no route/s);
    expect(server.connects).toBe(tries);
    expect(source.status()[0]).toMatchObject({ state: "down", lastFailure: { times: 3, retryAt: expect.any(Number) } });

    await clock.pass(5_000);
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    server.refuses = undefined;
    const probe = engine.call("server/a", {}, { maxRetries: 0 });
    await settle();
    // During the probe, other calls do not wait for a server that may be dead.
    expect(await engine.call("server/a", {}, { maxRetries: 0 })).toMatchObject({ error: { reason: "server_down" } });
    gate.resolve();
    expect(await probe).toMatchObject({ success: true });
    expect(await engine.call("server/a", {})).toMatchObject({ success: true });
    expect(source.status()[0]?.lastFailure).toBeUndefined();
    await source.close();
  });

  test("a server that completes the handshake and dies at every call cools down too", async () => {
    const clock = new FakeClock();
    const server = new FakeServer(definition("a"));
    const { source, engine } = await fakeWorkspace({ server }, { clock });
    await source.load();
    await source.prepare();
    server.handler = () => {
      server.kill();
      return new Promise(() => {});
    };
    const reasons: unknown[] = [];
    for (let times = 0; times < 6; times++) {
      const running = engine.call("server/a", {}, { maxRetries: 0 });
      await clock.pass(200);
      const result = await running;
      reasons.push(result.success ? "" : result.error.reason);
    }
    expect(reasons.slice(0, 3)).toEqual(["connection_lost", "connection_lost", "connection_lost"]);
    expect(reasons.slice(3)).toEqual(["server_down", "server_down", "server_down"]);
    await source.close();
  });

  test("an unused connection is closed after a while, and the next call opens a new one", async () => {
    const clock = new FakeClock();
    const server = new FakeServer(definition("a", read));
    const { source, engine } = await fakeWorkspace({ server }, { clock });
    await source.load();
    await source.prepare();
    expect(server.open.size).toBe(1);
    await clock.pass(301_000);
    expect(server.open.size).toBe(0);
    expect(clock.holding).toBe(0);
    expect(await engine.call("server/a", {})).toMatchObject({ success: true });
    expect(server.connects).toBe(2);
    await source.close();
  });

  test("a call that is cancelled while it waits for a connection ends at once; the connection is made", async () => {
    const server = new FakeServer(definition("a", read));
    const { source, registry } = await fakeWorkspace({ server });
    await source.load();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    const abort = new AbortController();
    const preparing = source.prepare("server", { signal: abort.signal });
    await settle();
    abort.abort();
    await expect(preparing).rejects.toMatchObject({ code: "cancelled" });
    gate.resolve();
    await settle();
    expect(registry.has("server/a")).toBe(true);
    await source.close();
  });

  test("a flood of change notifications causes few listings", async () => {
    const clock = new FakeClock();
    const server = new FakeServer(definition("a", read));
    const { source } = await fakeWorkspace({ server }, { clock });
    await source.load();
    await source.prepare();
    for (let times = 0; times < 100; times++) {
      server.change(definition("a", read));
      await clock.pass(100);
    }
    expect(server.lists).toBeLessThan(15);
    await source.close();
  });

  test("closing aborts a connection attempt, and does not wait for a server that does not end within a bound", async () => {
    const server = new FakeServer(definition("a", read));
    const { source } = await fakeWorkspace({ server }, { limits: { closeMs: 30 } });
    await source.load();
    server.gate = new Promise(() => {});
    const preparing = source.prepare("server");
    preparing.catch(() => undefined);
    await settle();
    const since = performance.now();
    await source.close();
    expect(performance.now() - since).toBeLessThan(2_000);
  });
});
