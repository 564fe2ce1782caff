import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openWorkspace } from "../../src/app/index.ts";
import { folder, windlass } from "./windlass.ts";

const format = /^wlt_([\da-f]{12})_([\w-]{43})\n$/;

describe.concurrent("windlass token", () => {
  test("creates a token that is printed once, lists it without its text, and revokes it [P06]", async () => {
    const cwd = await folder();
    const empty = await windlass(["token"], { cwd });
    expect(empty).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("windlass token create NAME") });
    expect(await readdir(cwd)).toEqual([]);
    const created = await windlass(["token", "create", "ci", "--scope", "call, read", "--expires", "30d"], { cwd });
    const [token = "", id = "", secret = ""] = format.exec(created.stdout) ?? [];
    expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining(`Token ${id} (read, call) expires at`) });
    const listed = await windlass(["token", "list", "--json"], { cwd });
    const item = { id, name: "ci", scopes: ["read", "call"], status: "active" };
    const times = { created_at: expect.any(String), expires_at: expect.any(String) };
    expect(JSON.parse(listed.stdout)).toEqual([{ ...item, ...times }]);
    const workspace = await openWorkspace(cwd, { reload: false });
    expect(await workspace.tokens.find(token.trim())).toMatchObject({ id, name: "ci" });
    await workspace.close();
    const revoked = await windlass(["token", "revoke", id], { cwd });
    expect(revoked).toMatchObject({ code: 0, stdout: `revoked: ${id} ci\n` });
    const table = await windlass(["token"], { cwd });
    expect(table.stdout).toMatch(new RegExp(`^${id} +revoked `, "m"));
    for (const text of [listed.stdout, table.stdout, await readFile(join(cwd, ".windlass/journal.db"), "latin1")])
      expect(text).not.toContain(secret);
  });

  test("creations and revocations of tokens and decisions are in the audit log, with the user [P06]", async () => {
    const cwd = await folder({ "windlass.yaml": "permissions: { ask: [echo] }\n" });
    const empty = await windlass(["audit"], { cwd });
    expect(empty).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("No matching entries") });
    const { stdout } = await windlass(["token", "create", "ci", "--json"], { cwd });
    const { token, info } = JSON.parse(stdout) as { readonly token: string; readonly info: { readonly id: string } };
    await windlass(["token", "revoke", info.id], { cwd });
    await windlass(["call", "echo", "message=hi"], { cwd });
    const [approval] = JSON.parse((await windlass(["approvals", "--json"], { cwd })).stdout) as {
      readonly id: string;
    }[];
    await windlass(["reject", approval?.id ?? "", "--by", "ann"], { cwd });
    const table = await windlass(["audit"], { cwd });
    expect(table.stdout).toMatch(/ann +approval\.decide +done .* reject echo/);
    const listed = JSON.parse((await windlass(["audit", "--json"], { cwd })).stdout) as unknown;
    expect(listed).toMatchObject([
      { action: "approval.decide", by: "ann", target: approval?.id, outcome: "done" },
      { action: "token.revoke", target: info.id, by: expect.stringMatching(/./) },
      { action: "token.create", target: info.id, detail: "ci: read" },
    ]);
    expect(JSON.stringify(listed)).not.toContain(token.slice(-20));
    const filtered = await windlass(["audit", "--action", "token.revoke", "--since", "1h", "--json"], { cwd });
    expect(JSON.parse(filtered.stdout)).toHaveLength(1);
    expect(await windlass(["audit", "--action", "token"], { cwd })).toMatchObject({ code: 2 });
  });

  test("prints JSON with the text and the token, without an expiry if it is to have none [P06]", async () => {
    const cwd = await folder();
    const { stdout } = await windlass(["token", "create", "Ann 磨坊", "--expires", "never", "--json"], { cwd });
    const { token, info } = JSON.parse(stdout) as { readonly token: string; readonly info: { readonly id: string } };
    expect(`${token}\n`).toMatch(format);
    expect(info).toEqual({
      id: token.slice(4, 16),
      name: "Ann 磨坊",
      scopes: ["read"],
      status: "active",
      created_at: expect.any(String),
      expires_at: null,
    });
    const revoked = JSON.parse((await windlass(["token", "revoke", info.id, "--json"], { cwd })).stdout);
    expect(revoked).toMatchObject({ id: info.id, status: "revoked", revoked_at: expect.any(String) });
  });

  test("a token of a run opens that run only, and last is the newest run [P06]", async () => {
    const cwd = await folder({
      "windlass.yaml": "",
      "chains/one.yaml": "name: one\nsteps:\n  - { id: a, tool: echo, params: { message: hi } }\n",
    });
    const missing = await windlass(["token", "create", "link", "--run", "nope"], { cwd });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no run "nope"') });
    await windlass(["run", "one", "--run-id", "greeting"], { cwd });
    const { stdout } = await windlass(["token", "create", "link", "--run", "last", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ info: { run_id: "greeting", scopes: ["read"] } });
    const wide = await windlass(["token", "create", "link", "--run", "last", "--scope", "run"], { cwd });
    expect(wide).toMatchObject({ code: 2, stderr: expect.stringContaining("can only read") });
  });

  test.for([
    [["create"], "missing required argument 'NAME'"],
    [["create", "ci", "--scope", "raed"], 'did you mean "read"?'],
    [["create", "ci", "--scope", ""], 'there is no scope ""'],
    [["create", "ci", "--expires", "soon"], 'invalid duration "soon"'],
    [["create", "ci", "--expires", "0d"], "3650 days"],
    [["create", "ci", "--expires", "99999w"], "3650 days"],
    [["create", "a\u007Fb"], "cannot name a token"],
    [["revoke", "none"], 'there is no token "none"'],
    [["lsit"], "did you mean windlass token list?"],
  ] as const)("%j is refused with its reason [P06]", async ([words, message]) => {
    const cwd = await folder();
    const { code, stdout, stderr } = await windlass(["token", ...words], {
      cwd,
    });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });
});
