import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { ModelServerResponse, ReceivedRequest, Script } from "../../src/testing.ts";
import { type PinnedWorkspace, openState } from "./pinned-workspace.ts";

const fixture = resolve(import.meta.dirname, "../fixtures/former-names");

/** The workspace of a user whose runs recorded the former names of built-in tools. */
function open(script: Script<ReceivedRequest, ModelServerResponse> = []): Promise<PinnedWorkspace> {
  return openState(fixture, script);
}

async function runOf({ run }: PinnedWorkspace, runner: string): Promise<string> {
  const runs = JSON.parse((await run("runs", "--json")).stdout) as { run_id: string; runner?: string }[];
  return runs.find((one) => one.runner === runner)?.run_id ?? "";
}

describe("[U13] runs that recorded the former names of built-in tools", () => {
  test("a chain resumes, and its later steps call tools by their former names", async () => {
    const workspace = await open();
    const { stdout, stderr, code } = await workspace.run("approve", "former-names");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const text = "The causeway mill at Eling still grinds.";
    expect(JSON.parse(stdout)).toEqual({
      page: text,
      list: text,
      batch: text,
      one: text,
      line: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \w+ \(UTC\)$/) as string,
      zone: "UTC",
      again: "Tide mill",
    });
    expect(await workspace.effects()).toEqual(["send-Tide mill-1767225600000"]);
  });

  test("a rule with a former name still requires approval, and the approved call runs", async () => {
    const workspace = await open();
    let last = await workspace.run("approve", "guarded-index");
    // The tool has changed since the first request, so that its approval is requested once more.
    if (last.code === 3) last = await workspace.run("approve", "guarded-index");
    expect(last).toMatchObject({ code: 0, stdout: expect.stringContaining('"complete"') as string });
    expect(await workspace.run("run", "guarded-index")).toMatchObject({ code: 3 });
  });

  test("an agent of the vault runner resumes without a second search", async () => {
    const bodies: string[] = [];
    const workspace = await open([
      (request) => {
        bodies.push(JSON.stringify(request.body));
        return { text: "On a causeway." };
      },
    ]);
    const resumed = await workspace.run("resume", await runOf(workspace, "vault"));
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("On a causeway.") as string });
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toContain("The tide mill stands on a causeway near Eling.");
  });

  test("an agent resumes, and a model that still uses a former name gets its output", async () => {
    const bodies: string[] = [];
    const remember = (response: ModelServerResponse) => (request: ReceivedRequest) => {
      bodies.push(JSON.stringify(request.body));
      return response;
    };
    const workspace = await open([
      remember({ toolCalls: [{ name: "get_time", args: { timezone: "UTC" } }] }),
      remember({ toolCalls: [{ name: "getCurrentTime", args: { timezone: "UTC" } }] }),
      remember({ text: "Near Eling." }),
    ]);
    const resumed = await workspace.run("resume", await runOf(workspace, "autonomous"));
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("Near Eling.") as string });
    expect(bodies[0]).toContain("The tide mill stands on a causeway near Eling.");
    const { tools } = JSON.parse(bodies[0] ?? "{}") as { tools: { function: { name: string } }[] };
    const names = tools.map((tool) => tool.function.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("local_search");
    expect(names).not.toContain("localSearch");
    expect(bodies[2]).toContain("epochMs");
  });
});
