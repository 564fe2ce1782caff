import { describe, expect, test } from "vitest";
import { openWorkspace } from "../../src/index.ts";
import { effects, mailChain, tracingTools } from "./chain-workspace.ts";
import { folder, printedBy, windlass } from "./windlass.ts";

const forward = (head = ""): string => `name: forward
${head}input: { to: string }
steps:
  - { id: look, tool: read, params: { text: "\${input.to}" } }
  - id: send
    tool: send
    params: { to: "\${input.to}", body: "\${steps.look.output.value}" }
`;

const strictWorkspace = { ...tracingTools, "windlass.yaml": "chains: { taint: strict }\n" };

describe.concurrent("[N08] untrusted content", () => {
  test("is rejected if it reaches a destructive tool, with its position, by validate and by run; nothing is called", async () => {
    const cwd = await folder({
      ...tracingTools,
      "windlass.yaml": "",
      "chains/forward.yaml": forward("taint: strict\n"),
    });
    const [checked, json, run, dry] = await Promise.all([
      windlass(["validate"], { cwd }),
      windlass(["validate", "chains/forward.yaml", "--json"], { cwd }),
      windlass(["run", "forward", "to=ada"], { cwd }),
      windlass(["run", "forward", "to=ada", "--dry-run"], { cwd }),
    ]);
    for (const { code, stderr, stdout } of [checked, run, dry]) {
      expect(code).toBe(2);
      const reported = stderr + stdout;
      expect(reported).toContain("chains/forward.yaml:8:43");
      expect(reported).toContain(
        '"send" may be destructive, and this value is untrusted: it comes from the step "look" (read)',
      );
      expect(reported).toContain('params: { to: "${input.to}", body: "${steps.look.output.value}" }');
      expect(reported).toMatch(/approval[\s\S]*trusted_tools: \[read\]/);
    }
    expect(JSON.parse(json.stdout)).toMatchObject([{ code: "untrusted_input", line: 8, column: 43 }]);
    expect(await effects(cwd)).toEqual([]);
  });

  test("a strict workspace cannot be relaxed by a chain, and an approval step prompts the user", async () => {
    const cwd = await folder({
      ...strictWorkspace,
      "chains/forward.yaml": forward("taint: show\n"),
      "chains/mail.yaml": mailChain,
    });
    const [refused, requested] = await Promise.all([
      windlass(["run", "forward", "to=ada"], { cwd }),
      windlass(["run", "mail", "to=ada"], { cwd }),
    ]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("untrusted_input") });
    expect(requested.code).toBe(3);
  });

  test("a source that the workspace trusts is not untrusted; typing errors are reported", async () => {
    const [cwd, slip, word] = await Promise.all([
      folder({
        ...tracingTools,
        "chains/forward.yaml": forward(),
        "windlass.yaml": "chains: { taint: strict, trusted_tools: [read] }\n",
      }),
      folder({ ...tracingTools, "windlass.yaml": "chains: { trusted_tools: [raed] }\n" }),
      folder({ "windlass.yaml": "chains: { taint: strickt }\n" }),
    ]);
    const [run, unknown, misspelt] = await Promise.all([
      windlass(["run", "forward", "to=ada"], { cwd }),
      windlass(["validate"], { cwd: slip }),
      windlass(["validate"], { cwd: word }),
    ]);
    expect(run.code).toBe(0);
    expect(await effects(cwd)).toEqual(['read {"text":"ada"}', 'send {"to":"ada","body":"ada"}']);
    expect(unknown.stdout + unknown.stderr).toMatch(/there is no tool "raed"[\s\S]*did you mean "read"\?/);
    expect(misspelt.stdout + misspelt.stderr).toContain('did you mean "strict"?');
  });

  test("[N03] a dry run marks it in the listed calls, in called chains too", async () => {
    const cwd = await folder({
      ...tracingTools,
      "windlass.yaml": "",
      "chains/notify.yaml":
        'name: notify\nsteps:\n  - { id: send, tool: send, params: { to: "${input.to}", body: "${input.body}" } }\n',
      "chains/outer.yaml":
        'name: outer\nsteps:\n  - { id: look, tool: read, params: { text: hi } }\n  - { id: sub, tool: notify, params: { to: ada, body: "re: ${steps.look.output.value}" } }\n  - { id: own, tool: send, params: { to: ada } }\n',
    });
    const [text, json] = await Promise.all([
      windlass(["run", "outer", "--dry-run"], { cwd }),
      windlass(["run", "outer", "--dry-run", "--json"], { cwd }),
    ]);
    expect(text.code).toBe(0);
    expect(text.stderr).toContain("    body is untrusted: it comes from look\n");
    expect(text.stderr.match(/untrusted/g)).toHaveLength(1);
    expect(printedBy(json)).toMatchObject({
      dry_run: expect.arrayContaining([
        {
          step: "sub/send",
          tool: "send",
          effect: "once",
          args: { to: "ada", body: "re: hi" },
          untrusted: { body: "look" },
        },
        { step: "own", tool: "send", effect: "once", args: { to: "ada" } },
      ]),
    });
  });

  test("every built-in chain can be planned in a strict workspace: none passes it to a destructive tool", async () => {
    const dir = await folder({ "windlass.yaml": "chains: { taint: strict }\n" });
    const workspace = await openWorkspace(dir, { env: {} });
    try {
      const plans = await Promise.all(
        ["dev-chain", "research-chain", "research-summarize-store", "write-chain"].map((name) =>
          workspace.loadChain(name),
        ),
      );
      expect(plans.map(({ taint }) => taint)).toEqual(["strict", "strict", "strict", "strict"]);
    } finally {
      await workspace.close();
    }
  });
});
