import { AsyncLocalStorage } from "node:async_hooks";
import { execPath } from "node:process";
import { symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith } from "../support/workspace.ts";
import { always, childrenOf, connecting, failureOf, runs, testServer, textOf } from "./connecting.ts";

const good = testServer("plain-server.ts");

describe("[C04] a server that is a program", () => {
  test("is started, listed page by page, called and ended", async () => {
    const { connect, stateDir, reported } = connecting();
    const connection = await connect(good);
    expect(connection).toMatchObject({
      server: { name: "plain", version: "1.0" },
      protocol: "2025-11-25",
      instructions: "Ask first.",
    });
    const names = (await connection.listTools(always)).map(({ name }) => name);
    expect(names).toContain("echo");
    expect(names.length).toBeGreaterThan(10);
    expect(await textOf(connection.callTool("echo", { message: "hello" }, { signal: always }))).toBe("hello");
    const [pid] = childrenOf(stateDir);
    expect(runs(pid!)).toBe(true);
    await connection.close();
    expect(runs(pid!)).toBe(false);
    expect(childrenOf(stateDir)).toEqual([]);
    await expect.poll(() => reported.ends).toEqual([undefined]);
  });

  test("gets the few variables that it needs, the configured ones, and its folder", async () => {
    const { connect } = connecting({
      env: { PATH: process.env["PATH"], HOME: "/home/me", API_KEY: "secret", LANG: "C" },
    });
    const connection = await connect({ ...good, env: { MY_TOKEN: "given" }, cwd: tmpdir() });
    const env = JSON.parse(await textOf(connection.callTool("environment", {}, { signal: always }))) as object;
    expect(env).toMatchObject({ HOME: "/home/me", LANG: "C", MY_TOKEN: "given" });
    expect(Object.keys(env)).not.toContain("API_KEY");
    expect(await textOf(connection.callTool("folder", {}, { signal: always }))).toBe(tmpdir());
  });

  test("[U5] a package runner gets the variables of proxies, certificates and registries, but no credentials", async () => {
    const network = {
      HTTPS_PROXY: "http://proxy.example:3128",
      no_proxy: "localhost",
      NODE_EXTRA_CA_CERTS: "/etc/company.pem",
      npm_config_registry: "https://npm.example",
      NPM_CONFIG_STRICT_SSL: "true",
      UV_INDEX_URL: "https://pypi.example",
    };
    const withheld = { npm_config__authToken: "t", npm_config_local_prefix: "/elsewhere", API_KEY: "secret" };
    const { connect } = connecting({ env: { PATH: process.env["PATH"], ...network, ...withheld } });
    const npx = join(await folderWith({}), "npx");
    await symlink(execPath, npx);
    const env = async (command: string): Promise<object> => {
      const connection = await connect({ ...good, command });
      return JSON.parse(await textOf(connection.callTool("environment", {}, { signal: always }))) as object;
    };
    const ofRunner = await env(npx);
    expect(ofRunner).toMatchObject(network);
    for (const name of Object.keys(withheld)) expect(ofRunner).not.toHaveProperty(name);
    expect(await env(execPath)).not.toHaveProperty("HTTPS_PROXY");
  });

  test("[U5] a program that does not answer, or exits, is reported with the variables that it did not get", async () => {
    const env = { PATH: process.env["PATH"], HTTPS_PROXY: "http://u:pw@proxy", SSL_CERT_FILE: "/x", OTHER: "x" };
    const { connect } = connecting({ env, limits: { handshakeMs: 300, probeMs: 100, endMs: 50 } });
    for (const code of ["setInterval(() => {}, 1000)", "process.exit(1)"]) {
      const { message } = await failureOf(connect({ ...good, args: ["-e", code], env: { SSL_CERT_FILE: "/y" } }));
      expect(message).toMatch(/; it did not get HTTPS_PROXY: if it needs them, add them to "env" of its entry$/);
      expect(message).not.toContain("pw");
    }
  });

  test("is not a shell line", async () => {
    const { connect } = connecting();
    const failure = await failureOf(connect({ ...good, command: `${execPath} ; true` }));
    expect(failure).toMatchObject({ code: "not_available", reason: "start_failed" });
    expect(failure.message).toContain("is not found");
    const nowhere = await failureOf(connect({ ...good, cwd: "/nowhere/at/all" }));
    expect(nowhere.message).toContain("/nowhere/at/all does not exist");
    expect(nowhere.toFailure().retry).toBe("never");
  });

  test("a server that exits when its protocol versions are requested is started again with the older handshake", async () => {
    const { connect, stateDir } = connecting();
    const connection = await connect(testServer("plain-server.ts", "dies"));
    expect(await textOf(connection.callTool("echo", { message: "old" }, { signal: always }))).toBe("old");
    expect(childrenOf(stateDir)).toHaveLength(1);
  });

  test("a server that ignores unknown requests gets the older handshake", async () => {
    const { connect } = connecting({ limits: { probeMs: 100 } });
    const connection = await connect(testServer("plain-server.ts", "ignores"));
    expect(connection.protocol).toBe("2025-11-25");
  });

  test("a server whose protocol version is known is not probed", async () => {
    const { connect, reported } = connecting({ limits: { probeMs: 60_000 } });
    const connection = await connect(testServer("plain-server.ts", "ignores"), { lastProtocol: "2025-06-18" });
    expect(connection.protocol).toBe("2025-11-25");
    expect(reported.ends).toEqual([]);
  });

  test("a greeting on the stdout of a server is ignored", async () => {
    const { connect } = connecting();
    const connection = await connect(testServer("plain-server.ts", "banner"));
    expect(await textOf(connection.callTool("strange", {}, { signal: always }))).toBe("still there");
  });
});

describe("a server of the newer protocol version", () => {
  const modern = testServer("modern-server.ts");

  test("is probed for its versions, listed and called", async () => {
    const { connect } = connecting();
    const connection = await connect(modern);
    expect(connection).toMatchObject({ protocol: "2026-07-28", instructions: "Be kind.", server: { name: "modern" } });
    expect(await connection.listTools(always)).toHaveLength(6);
    expect(await textOf(connection.callTool("echo", { a: [1] }, { signal: always }))).toBe('{"a":[1]}');
  });

  test("elicits from the caller, and gets its own state back", async () => {
    const { connect } = connecting();
    const connection = await connect(modern);
    const prompts: unknown[] = [];
    const elicit = (prompt: unknown) => {
      prompts.push(prompt);
      return Promise.resolve({ action: "accept" as const, content: { city: "Rome" } });
    };
    const answered = await textOf(connection.callTool("ask", {}, { signal: always, elicit }));
    expect(JSON.parse(answered)).toEqual({
      answer: { action: "accept", content: { city: "Rome", days: 3 } },
      state: "kept",
    });
    const message = 'The MCP server "test" requests input:\n\nWhere to?';
    expect(prompts).toMatchObject([{ message, schema: { type: "object" } }]);
    expect(await textOf(connection.callTool("ask", {}, { signal: always }))).toContain('"decline"');
  });

  test("a server that elicits without end, or requests what is not offered, fails its call", async () => {
    const { connect } = connecting({ limits: { elicitationRounds: 2 } });
    const connection = await connect(modern);
    const endless = await failureOf(connection.callTool("ask_forever", {}, { signal: always }));
    expect(endless).toMatchObject({ reason: "too_many_elicitations" });
    const sampling = await failureOf(connection.callTool("sample", {}, { signal: always }));
    expect(sampling.toFailure().retry).toBe("never");
    expect(await textOf(connection.callTool("echo", {}, { signal: always }))).toBe("{}");
  });

  test("is notified when a call is cancelled, and notifies when its tools change", async () => {
    const { connect, reported } = connecting();
    const connection = await connect(modern);
    const cancel = new AbortController();
    const hanging = connection.callTool("hang", {}, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 50);
    expect(await failureOf(hanging)).toMatchObject({ code: "cancelled" });
    await expect.poll(() => reported.lines).toContain("stopped");
    await connection.callTool("change", {}, { signal: always });
    await expect.poll(() => reported.changes).toBe(1);
  });
});

describe("a call", () => {
  test("reports progress", async () => {
    const { connect } = connecting();
    const connection = await connect(good);
    const seen: unknown[] = [];
    await connection.callTool("progress", {}, { signal: always, onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
  });

  test("a call that is cancelled fails at once, and the server is notified without a reason", async () => {
    const { connect, reported } = connecting();
    const connection = await connect(good);
    const cancel = new AbortController();
    const hanging = connection.callTool("hang", {}, { signal: cancel.signal });
    const began = performance.now();
    setTimeout(() => cancel.abort(new Error("the secret reason")), 50);
    expect(await failureOf(hanging)).toMatchObject({ code: "cancelled", reason: "aborted" });
    expect(performance.now() - began).toBeLessThan(1_000);
    await expect.poll(() => reported.lines.join()).toContain("cancelled: ");
    expect(reported.lines.join()).not.toContain("secret");
    expect(await textOf(connection.callTool("echo", { message: "on" }, { signal: always }))).toBe("on");
    const before = await failureOf(connection.callTool("echo", {}, { signal: AbortSignal.abort() }));
    expect(before.toFailure()).toMatchObject({ code: "cancelled", retry: "safe" });
  });

  test("a call that the protocol rejects is not retried, and says why in a sanitized message", async () => {
    const { connect } = connecting();
    const connection = await connect(good);
    const refused = await failureOf(connection.callTool("refuse", { code: -32_602 }, { signal: always }));
    expect(refused.toFailure("safe")).toMatchObject({ code: "validation_error", retry: "never" });
    expect(refused.message).toBe('the MCP server "test": this is refused');
    const failed = await failureOf(connection.callTool("refuse", { code: -32_603 }, { signal: always }));
    expect(failed.toFailure("safe")).toMatchObject({
      code: "execution_error",
      reason: "protocol_error",
      retry: "never",
    });
    expect(await failureOf(connection.callTool("missing", {}, { signal: always }))).toMatchObject({
      reason: "refused_call",
    });
  });

  test("a call with an invalid response returns the parts that can be shown, or fails", async () => {
    const { connect } = connecting();
    const connection = await connect(good);
    const { content } = await connection.callTool("odd", {}, { signal: always });
    expect(content).toHaveLength(4);
    expect(content[0]).toMatchObject({ type: "text", text: expect.stringContaining('"hologram"') });
    expect(content[3]).toEqual({ type: "text", text: "known" });
    const failure = await failureOf(connection.callTool("nothing", {}, { signal: always }));
    expect(failure.toFailure("safe")).toMatchObject({ code: "output_invalid", reason: "bad_answer", retry: "safe" });
  });

  test("elicits from its caller; with several calls in flight the caller is unknown", async () => {
    const { connect, reported } = connecting();
    const connection = await connect(good);
    const elicit = ({ message }: { message: string }) =>
      Promise.resolve({ action: "accept" as const, content: { city: message } });
    const alone = await textOf(connection.callTool("ask", {}, { signal: always, elicit }));
    const city = 'The MCP server "test" requests input:\n\nWhere to?';
    expect(JSON.parse(alone)).toEqual({ action: "accept", content: { city, days: 3 } });
    const cancel = new AbortController();
    const other = connection.callTool("hang", {}, { signal: cancel.signal });
    expect(await textOf(connection.callTool("ask", {}, { signal: always, elicit }))).toBe('{"action":"decline"}');
    cancel.abort();
    await failureOf(other);
    expect(await textOf(connection.callTool("ask", {}, { signal: always }))).toBe('{"action":"decline"}');
    expect(await textOf(connection.callTool("ask", { first: false }, { signal: always, elicit }))).not.toContain(
      "accept",
    );
    expect(await textOf(connection.callTool("sample", {}, { signal: always, elicit }))).toContain("Method not found");
    expect(reported.lines.filter((line) => line.startsWith("sent an elicitation"))).toEqual([
      'sent an elicitation that was declined, since it is not known which of several calls it is for: "Where to?"',
      'sent an elicitation that was declined, since no user can be prompted here: "Where to?"',
    ]);
  });

  test("logs later messages outside the context of the call that connected first", async () => {
    const caller = new AsyncLocalStorage<string>();
    const { connector } = connecting();
    const heard: unknown[] = [];
    const listener = { toolsChanged: () => {}, closed: () => {}, log: () => heard.push(caller.getStore()) };
    const connection = await caller.run("first", () => connector.connect("test", good, { listener, signal: always }));
    const cancel = new AbortController();
    const hanging = connection.callTool("hang", {}, { signal: cancel.signal });
    cancel.abort();
    await failureOf(hanging);
    // The server writes a line about it.
    await expect.poll(() => heard).toEqual([undefined]);
    await connection.close();
  });

  test("fails if its caller is gone while an elicitation is open", async () => {
    const { connect } = connecting();
    const connection = await connect(good);
    const cancel = new AbortController();
    const elicit = () => {
      cancel.abort();
      return new Promise<never>(() => {});
    };
    expect(await failureOf(connection.callTool("ask", {}, { signal: cancel.signal, elicit }))).toMatchObject({
      code: "cancelled",
    });
  });

  test("several changes of the tools are reported once", async () => {
    const { connect, reported } = connecting({ limits: { changesMs: 20 } });
    const connection = await connect(good);
    await connection.callTool("change", {}, { signal: always });
    await expect.poll(() => reported.changes).toBe(1);
    await connection.callTool("change", {}, { signal: always });
    await expect.poll(() => reported.changes).toBe(2);
  });

  test("a call after the connection is closed fails before anything is sent", async () => {
    const { connect } = connecting();
    const connection = await connect(good);
    await connection.close();
    const failure = await failureOf(connection.callTool("echo", {}, { signal: always }));
    expect(failure.toFailure("unsafe")).toMatchObject({ code: "not_available", reason: "not_sent", retry: "safe" });
    await connection.close();
  });
});
