import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { folder, windlass } from "./windlass.ts";

/** A folder in which three calls were made. */
async function withCalls(): Promise<string> {
  const cwd = await folder();
  await windlass(["call", "echo", "message=one", "--conversation", "c-1"], { cwd });
  await windlass(["call", "echo", "message=two"], { cwd });
  await windlass(["call", "calculator", "expression=1/0", "--conversation", "c-1"], { cwd });
  return cwd;
}

describe.concurrent("windlass records and stats", () => {
  test("show calls, filtered, in pages, and as JSON", async () => {
    const cwd = await withCalls();
    const run = (...words: string[]) => windlass(words, { cwd });
    const json = async (...words: string[]) => JSON.parse((await run(...words, "--json")).stdout);
    const [all, plain, failures, conversation, caller, recent, future] = await Promise.all([
      json("records"),
      run("records"),
      json("records", "--status", "failure", "--code", "execution_error"),
      json("records", "--conversation", "c-1", "--tool", "echo"),
      json("records", "--caller", "cli"),
      json("records", "--since", "1h", "--caller", "direct"),
      json("records", "--since", "2999-01-01"),
    ]);
    expect(all.records.map((record: { tool: string }) => record.tool)).toEqual(["calculator", "echo", "echo"]);
    expect(all.records[2]).toMatchObject({
      tool: "echo",
      args: { message: "one" },
      success: true,
      output: { message: "one" },
      caller_type: "direct",
      caller_id: "cli",
      conversation_id: "c-1",
      attempts: 1,
      cached: false,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(plain.stdout.split("\n")[0]).toMatch(/^ID\s+TIME\s+TOOL\s+RESULT\s+TOOK/);
    expect(plain.stdout).toContain("execution_error");
    expect(failures.records).toMatchObject([
      { tool: "calculator", error: { code: "execution_error", reason: "div_zero" } },
    ]);
    expect(conversation.records).toHaveLength(1);
    expect(caller.records).toHaveLength(3);
    expect(recent.records).toHaveLength(3);
    expect(future).toEqual({ records: [] });

    const first = await json("records", "--limit", "2");
    const second = await json("records", "--limit", "2", "--cursor", first.next);
    expect([...first.records, ...second.records]).toEqual(all.records);
    expect(second).not.toHaveProperty("next");
    const page = await run("records", "--limit", "2", "--tool", "echo", "--since", "1h");
    expect(page.stderr).toBe("");
    const more = await run("records", "--limit", "1", "--tool", "echo");
    expect(more.stderr).toMatch(/For more: windlass records --tool echo --limit 1 --cursor \S+/);
  });

  test("stats counts and measures each tool", async () => {
    const cwd = await withCalls();
    const [plain, json, one] = await Promise.all([
      windlass(["stats"], { cwd }),
      windlass(["stats", "--since", "1d", "--json"], { cwd }),
      windlass(["stats", "--tool", "echo", "--json"], { cwd }),
    ]);
    expect(plain.stdout).toMatch(/^TOOL\s+CALLS\s+SUCCESS\s+AVERAGE\s+P50\s+P95\s+P99\n/);
    expect(plain.stdout).toContain("3 calls, 66.6 % successful; failures: execution_error 1");
    expect(JSON.parse(json.stdout)).toMatchObject({
      total_calls: 3,
      successful_calls: 2,
      failed_calls: 1,
      failures: { execution_error: 1 },
      tools: [
        {
          tool: "echo",
          calls: 2,
          failures: 0,
          success_rate: 100,
          p50_ms: expect.any(Number),
          p99_ms: expect.any(Number),
        },
        { tool: "calculator", calls: 1, failures: 1 },
      ],
    });
    expect(JSON.parse(one.stdout)).toMatchObject({ total_calls: 2, tools: [{ tool: "echo" }] });
  });

  test("listing records in a folder without any creates no files", async () => {
    const cwd = await folder();
    const runs = await Promise.all(
      [["records"], ["stats"], ["approvals"], ["records", "--json"], ["approvals", "--json"]].map((words) =>
        windlass(words, { cwd }),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(runs.map(({ stdout }) => stdout)).toEqual(["", "", "", '{\n  "records": []\n}\n', "[]\n"]);
    expect(await readdir(cwd)).toEqual([]);
  });

  test.each([
    [["records", "--since", "yesterday"], "invalid time"],
    [["records", "--since", "2026-02-30"], "invalid time"],
    [["records", "--limit", "0"], "a whole number of at least 1"],
    [["records", "--status", "good"], "Allowed choices are success, failure"],
    [["stats", "--until", "later"], "invalid time"],
  ])("%j is a usage error", async (words, reported) => {
    const { code, stdout, stderr } = await windlass(words, { cwd: await folder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(reported);
  });

  test("an invalid cursor is a usage error", async () => {
    const cwd = await folder();
    await windlass(["call", "echo", "message=1"], { cwd });
    const { code, stderr } = await windlass(["records", "--cursor", "x"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("cursor");
  });
});

describe.concurrent("windlass approvals", () => {
  const request = { "windlass.yaml": 'permissions: { ask: ["person:echo"] }\n' };

  test("a call that needs approval exits with 3, runs once when approved, and then needs approval again", async () => {
    const cwd = await folder(request);
    const call = () => windlass(["call", "echo", "message=hi", "--json"], { cwd });
    const suspended = await call();
    expect(suspended.code).toBe(3);
    const id: string = JSON.parse(suspended.stdout).error.approval_id;
    expect(suspended.stderr).toContain(`windlass approve ${id}`);

    const [list, json] = await Promise.all([
      windlass(["approvals"], { cwd }),
      windlass(["approvals", "--json"], { cwd }),
    ]);
    expect(list.stdout).toContain(id);
    expect(JSON.parse(json.stdout)).toEqual([
      {
        id,
        tool: "echo",
        args: { message: "hi" },
        message: expect.any(String),
        caller_type: "direct",
        status: "pending",
        created_at: expect.any(String),
        expires_at: expect.any(String),
      },
    ]);

    const misspelt = await windlass(["approve", `${id}x`], { cwd });
    expect(misspelt.code).toBe(2);
    expect(misspelt.stderr).toContain(`did you mean ${id}?`);

    const approved = await windlass(["approve", id, "--note", "fine", "--by", "ada", "--json"], { cwd });
    expect(JSON.parse(approved.stdout)).toMatchObject({ status: "approved", decided_by: "ada", note: "fine" });
    const again = await windlass(["approve", id], { cwd });
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("was approved by ada") });
    const late = await windlass(["reject", id], { cwd });
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining("the first decision counts") });

    expect((await call()).code).toBe(0);
    const used = await windlass(["approve", id], { cwd });
    expect(used).toMatchObject({ code: 1, stderr: expect.stringContaining("used up") });
    expect((await call()).code).toBe(3);
  });

  test("a rejected call fails with the reason", async () => {
    const cwd = await folder(request);
    const suspended = await windlass(["call", "echo", "message=hi", "--json"], { cwd });
    const id: string = JSON.parse(suspended.stdout).error.approval_id;
    const rejected = await windlass(["reject", id, "--note", "not today"], { cwd });
    expect(rejected).toMatchObject({ code: 0, stdout: 'Rejected: echo {"message":"hi"}\n' });
    const { code, stderr } = await windlass(["call", "echo", "message=hi"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("not today");
    const { stdout } = await windlass(["approvals", "--all"], { cwd });
    expect(stdout).toContain("rejected");
  });

  test("an unknown approval is reported, also if there is nothing to approve", async () => {
    const cwd = await folder();
    const { code, stderr } = await windlass(["reject", "zzz"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("no approvals are pending");
  });
});
