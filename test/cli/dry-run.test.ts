import { describe, expect, test } from "vitest";
import { effects, tracingTools } from "./chain-workspace.ts";
import { folder, windlass } from "./windlass.ts";

const order = `name: order
input: { to: string }
steps:
  - { id: look, tool: read, params: { text: "\${input.to}" } }
  - { id: order, tool: send, params: { to: "\${steps.look.output.value}" }, compensate: { tool: send, params: { to: "\${steps.order.output.id}" } } }
  - { id: confirm, tool: send, params: { to: "\${steps.look.output.value}", body: "order \${steps.order.output.id + 1}" } }
  - { id: check, tool: read, params: { text: "\${steps.order.output.id}", ms: 1 }, repeat: { until: "\${steps.check.output.value.done}", max: 5, delay: 60 } }
  - { id: thank, tool: send, condition: "\${steps.check.output.value.size > 3}", params: { to: ada } }
  - { id: each, tool: send, for_each: "\${steps.order.output.copies}", params: { to: "\${item}" } }
  - { id: other, tool: read, params: { text: independent } }
output: { number: "\${steps.order.output.id}", other: "\${steps.other.output.value}" }
`;

const workspace = { ...tracingTools, "windlass.yaml": "", "chains/order.yaml": order };

describe.concurrent("a dry run", () => {
  test("[N03] continues where it can: results that need a withheld call are reported as unknown", async () => {
    const cwd = await folder(workspace);
    const { code, stdout, stderr } = await windlass(["run", "order", "to=ada", "--dry-run", "--json"], { cwd });
    expect(code).toBe(0);
    expect((await effects(cwd)).sort()).toEqual(['read {"text":"ada"}', 'read {"text":"independent"}']);
    const { dry_run, output, status } = JSON.parse(stdout);
    expect(status).toBe("success");
    expect(output).toEqual({ number: null, other: "independent" });
    expect(dry_run).toHaveLength(5);
    const byStep = Object.fromEntries(dry_run.map((call: { step: string }) => [call.step, call]));
    expect(byStep).toEqual({
      order: { step: "order", tool: "send", effect: "once", args: { to: "ada" }, untrusted: { to: "look" } },
      confirm: {
        step: "confirm",
        tool: "send",
        effect: "once",
        args: { to: "ada" },
        unknown: { body: "order ${steps.order.output.id + 1}" },
        untrusted: { to: "look", body: "order" },
      },
      check: {
        step: "check",
        tool: "read",
        effect: "read",
        args: { ms: 1 },
        unknown: { text: "${steps.order.output.id}" },
        untrusted: { text: "order" },
      },
      thank: {
        step: "thank",
        tool: "send",
        effect: "once",
        args: { to: "ada" },
        only_if: "${steps.check.output.value.size > 3}",
      },
      "each[0]": {
        step: "each[0]",
        tool: "send",
        effect: "once",
        args: {},
        unknown: { to: "${item}" },
        untrusted: { to: "order" },
        for_each: "${steps.order.output.copies}",
      },
    });
    expect(stderr).toContain("1 call would have been made, none was");
    expect(stderr).toContain("4 calls unknown before the run");
    expect(stderr).toContain("body will be order ${steps.order.output.id + 1}");
    expect(stderr).toContain("number) is unknown before the run");
  });

  test("needs no writable folder; nor does a run that is not durable, but a durable one does", async () => {
    const cwd = await folder({
      ...workspace,
      ".windlass": "a file where the data folder would be",
      "chains/light.yaml": "name: light\ndurable: false\nsteps:\n  - { id: a, tool: read, params: { text: x } }\n",
    });
    const [dry, light, stored] = await Promise.all([
      windlass(["run", "order", "to=ada", "--dry-run"], { cwd }),
      windlass(["run", "light"], { cwd }),
      windlass(["run", "order", "to=ada"], { cwd }),
    ]);
    expect(dry.code).toBe(0);
    expect({ code: light.code, output: JSON.parse(light.stdout) }).toEqual({ code: 0, output: { a: { value: "x" } } });
    expect(stored).toMatchObject({ code: 1, stderr: expect.stringContaining("[store_failed: cannot_open]") });
  });

  test("persists nothing", async () => {
    const cwd = await folder(workspace);
    await windlass(["run", "order", "to=ada", "--dry-run"], { cwd });
    const { stdout } = await windlass(["records", "--json"], { cwd });
    expect(JSON.parse(stdout).records).toEqual([]);
  });

  test("an unrelated failure ends it like a real run", async () => {
    const cwd = await folder({
      ...workspace,
      "chains/wrong.yaml":
        "name: wrong\ninput: { n: number }\nsteps:\n  - { id: a, tool: send, params: { to: x } }\n  - { id: b, tool: fails, depends_on: [a] }\n",
    });
    const { code, stderr } = await windlass(["run", "wrong", "n=1", "--dry-run"], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("out of order") });
  });
});
