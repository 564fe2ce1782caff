import { expect, test } from "vitest";
import { plannedTool } from "../../../test/support/planning.ts";
import { ToolRegistry } from "../../tool/index.ts";
import { planChain } from "./plan-chain.ts";

const tools = new ToolRegistry();
tools.register(plannedTool("echo"), { source: "builtin" });

const text = (triggers: string): string => `name: report
input: { topic: string, depth: number=3 }
on:
${triggers}
steps:
  - { id: say, tool: echo, params: { message: "\${input.topic} \${input.depth}" } }
`;

function problemsOf(triggers: string): string[] {
  const { problems } = planChain({ text: text(triggers), file: "chains/report.yaml" }, { tools, secrets: ["HOOK"] });
  return problems.map(({ line, column, code, message, hint }) => `${line}:${column} ${code}: ${message}; ${hint}`);
}

const hook = 'webhook: /order, verify: github, secret: "${secret.HOOK}"';
const input = "input: { topic: tea }";

test("valid triggers of all kinds have no problems [P09]", () => {
  expect(
    problemsOf(`  - { schedule: "0 8 * * 1-5", timezone: Asia/Shanghai, missed: none, overlap: queue, ${input} }
  - { id: each-second, schedule: "* * * * * *", input: { topic: "\${event.time}" } }
  - { ${hook}, reply: output, input: { topic: "\${event.body.topic}", depth: "\${event.headers['x-depth']}" } }
  - { webhook: other, verify: slack, secret: ["\${secret.HOOK}", "\${secret.HOOK}"], ${input} }
  - { file: "inbox/**/*.md", input: { topic: "\${event.path}" } }`),
  ).toEqual([]);
});

test.each<readonly [trigger: string, problem: RegExp]>([
  ['schedule: "0 8 * *", INPUT', /^4:17 bad_schedule: "0 8 \* \*" is not a schedule; it has 4 fields/],
  ['schedule: "0 0 31 2 *", INPUT', /^4:17 never_fires: /],
  ['schedule: "0 8 * * *", timezone: Asia/Shangai, INPUT', /^4:40 unknown_timezone: .*did you mean "Asia\/Shanghai"/],
  ['schedule: "0 8 * * *", missed: some, INPUT', /^4:38 \w+: /],
  [
    'schedule: "0 8 * * *", verify: github, INPUT',
    /^4:30 useless_key: "verify" has no effect on a schedule; .*webhook; remove it/,
  ],
  ['schedule: "0 8 * * *", file: a, INPUT', /^4:30 two_triggers: .*; write two triggers/],
  ["INPUT", /^4:5 no_trigger: this trigger never fires; add "schedule"/],
  ['schedule: "0 8 * * *"', /^4:5 missing_parameter: the chain "report" needs the parameter "topic"/],
  ['schedule: "0 8 * * *", input: { topic: a, dept: 1 }', /^4:49 unknown_parameter: .*"dept"; did you mean "depth"/],
  ['schedule: "0 8 * * *", input: { topic: a, depth: deep }', /^4:56 bad_parameter: /],
  [
    'schedule: "0 8 * * *", input: { topic: "${event.body}" }',
    /^4:49 unknown_field: this event has no "body"; it has trigger, time/,
  ],
  [
    'schedule: "0 8 * * *", input: { topic: "${steps.say.output}" }',
    /bad_reference: there is no "steps.say.output" in the input/,
  ],
  ['schedule: "0 8 * * *", input: { topic: "${event." }', /bad_expression: /],
  ['schedule: "0 8 * * *", id: "a b", INPUT', /^4:34 bad_trigger_id: /],
  ['webhook: /a/b, verify: github, secret: "${secret.HOOK}", INPUT', /^4:16 bad_webhook: /],
  [
    'webhook: /a, secret: "${secret.HOOK}", INPUT',
    /^4:16 unverified_webhook: anyone could send this webhook; add verify: github \|/,
  ],
  ["webhook: /a, verify: github, INPUT", /^4:16 missing_secret: .*secrets: { HOOK: env }/],
  ['webhook: /a, verify: githob, secret: "${secret.HOOK}", INPUT', /^4:28 \w+: .*github/m],
  [
    'webhook: /a, verify: github, secret: "${secret.HOK}", INPUT',
    /unknown_secret: there is no secret "HOK"; did you mean "HOOK"/,
  ],
  [
    "webhook: /a, verify: github, secret: my-real-secret, INPUT",
    /plain_secret: this is not a reference to a secret; declare/,
  ],
  [
    'webhook: /a, verify: github, secret: ["${secret.HOOK}", "${secret.HOOK}", "${secret.HOOK}"], INPUT',
    /^4:44 too_many_secrets: a webhook has at most two secrets; remove the oldest/m,
  ],
  ["file: ../outside/*.md, INPUT", /^4:13 bad_pattern: /],
  ["file: /etc/*, INPUT", /^4:13 bad_pattern: /],
])("%s has a problem with its position and advice [P09]", (trigger, problem) => {
  const found = problemsOf(`  - { ${trigger.replace("INPUT", input)} }`);
  expect(found.join("\n")).toMatch(problem);
  expect(found.join("\n")).not.toContain("my-real-secret");
});

test("two triggers with one id, and an event outside of a trigger, are problems", () => {
  const two = `  - { schedule: "0 8 * * *", ${input} }\n  - { schedule: "0 8 * * *", ${input} }`;
  expect(problemsOf(two)).toMatchObject([expect.stringMatching(/^5:5 duplicate_trigger: .*give one another id/)]);
  const { problems } = planChain(
    { text: 'name: a\nsteps: [{ id: s, tool: echo, params: { message: "${event.time}" } }]\n', file: "a.yaml" },
    { tools },
  );
  expect(problems).toMatchObject([{ code: "no_event", hint: expect.stringContaining("input of a trigger") }]);
});
