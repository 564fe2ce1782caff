import { describe, expect, test } from "vitest";
import { harbourTools, planText, plannedTool } from "../../../test/support/planning.ts";
import { ChainLibrary } from "../chain-library.ts";
import { type AnyTool, ToolRegistry } from "../../tool/index.ts";
import type { PlanContext } from "./plan.ts";
import type { TaintPolicy } from "./chain-spec.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

const shell: readonly AnyTool[] = [
  plannedTool("delete_file", { effect: "idempotent", destructive: true }),
  plannedTool("peek", { effect: "read", destructive: true }),
];

function registryOf(tools: readonly AnyTool[] = [...harbourTools, ...shell]): ToolRegistry {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  return registry;
}

/** Problems of a strict chain: the underlined text, and the message. */
function refused(steps: string, more: Partial<PlanContext> & { head?: string } = {}): string[] {
  const { head = "taint: strict", ...context } = more;
  const text = `name: c\n${head}\nsteps:\n  - { id: news, tool: find_news, params: { topic: tides } }\n${steps}`;
  const { problems } = planText(text, { tools: registryOf(), ...context });
  return problems.map(({ line, column, length = 1, code }) => {
    const marked = text.split("\n")[line - 1]?.slice(column - 1, column - 1 + length);
    return code === "untrusted_input" ? `${marked}` : `${marked} <- ${code}`;
  });
}

const send = (rest: string): string => `  - { id: send, tool: send_mail, ${rest} }`;

describe("[N08] untrusted content does not reach a destructive call", () => {
  test("an approver who sees its arguments first may allow it", () => {
    const params = 'params: { text: "${steps.news.output}" }';
    expect(refused(send(params))).toEqual(["steps.news.output"]);
    expect(refused(send(`${params}, approval: "Send it?"`))).toEqual([]);
    expect(refused(send(`${params}, approval: { message: "Send it?", approvers: [ann] }`))).toEqual([]);
  });

  test("is only shown without strict; the stricter one of chain and workspace counts", () => {
    const step = send('params: { text: "${steps.news.output}" }');
    expect(refused(step, { head: "" })).toEqual([]);
    expect(refused(step, { head: "taint: show" })).toEqual([]);
    expect(refused(step, { head: "", taint: "strict" })).toEqual(["steps.news.output"]);
    expect(refused(step, { head: "taint: show", taint: "strict" })).toEqual(["steps.news.output"]);
    expect(refused(step, { head: "taint: strict", taint: "show" })).toEqual(["steps.news.output"]);
  });

  test("it may reach tools that are not destructive, but not tools whose effect is unknown", () => {
    const call = (tool: string): string =>
      `  - { id: x, tool: ${tool}, params: { text: "\${json(steps.news.output)}" } }`;
    expect(refused(call("anything"))).toEqual([]);
    expect(refused(call("save_file"))).toEqual([]);
    expect(refused(call("delete_file"))).toEqual(["steps.news.output"]);
    const service = (method: string): string => `  - { id: x, tool: call_service, params: { method: "${method}" } }`;
    expect(refused(service("${steps.news.output[0].title}"))).toEqual(["steps.news.output[0].title"]);
    expect(refused(service("GET"))).toEqual([]);
  });

  test("pure tools, text around it, parts of it, names for it and lists do not make it trusted", () => {
    const pure = '  - { id: report, tool: write_report, params: { title: "${steps.news.output[0].title}" } }\n';
    expect(refused(pure + send('params: { text: "${steps.report.output}" }'))).toEqual(["steps.report.output"]);
    expect(refused(send('params: { text: { deep: ["a", "see ${upper(steps.news.output[0].title)}!"] } }'))).toEqual([
      "steps.news.output[0].title",
    ]);
    expect(refused(send('params: { text: "${input.names[steps.news.output[0].title]}" }'))).toEqual([
      "steps.news.output[0].title",
    ]);
    expect(refused(send('params: { text: "${item}" }, for_each: "${steps.news.output}"'))).toEqual(["item"]);
    expect(refused(send('params: { text: "${item}" }, for_each: ["a", "${steps.news.output}"]'))).toEqual(["item"]);
    const named = "  - { id: again, tool: find_news, params: { topic: x }, output: { as: found } }\n";
    expect(refused(named + send('params: { text: "${context.found}" }'))).toEqual(["context.found"]);
  });

  test("inputs of the chain, constants, and values that only decide whether it runs are allowed", () => {
    const reported = refused(
      send(
        'params: { text: "${input.a} ${context.b} ${run.id} ${index} ${steps.news.status}" }, for_each: [1, 2], condition: "${steps.news.output}"',
      ),
    );
    expect(reported).toEqual([]);
  });

  test("the output of the last round of a loop does not reach it", () => {
    const loop = "repeat: { until: \"${steps.send.output.receipt == 'last'}\" }";
    expect(refused(send(`params: { text: "\${steps.send.output.receipt ?? 'first'}" }, ${loop}`))).toEqual([
      "steps.send.output.receipt",
    ]);
  });

  test("a fallback is covered by the step's approval, unless it only reads", () => {
    const steps = (tool: string, more = ""): string =>
      `  - { id: x, tool: anything, ${more} error_handling: { fallback: [{ tool: ${tool}, params: { text: "\${error.message}" } }] } }`;
    expect(refused(steps("delete_file"))).toEqual(["error.message"]);
    expect(refused(steps("delete_file", "approval: Really?,"))).toEqual([]);
    expect(refused(steps("peek", "approval: Really?,"))).toEqual(["error.message"]);
    const ofChain = `  - { id: x, tool: anything, depends_on: [news] }\n  - { id: y, tool: anything, depends_on: [x] }\nerror_handling: { fallback: [{ tool: delete_file, params: { text: "\${steps.news.output}" } }] }`;
    expect(refused(ofChain)).toEqual(["steps.news.output"]);
  });

  test("a compensation, which needs no approval, does not get it", () => {
    const undo = 'compensate: { tool: delete_file, params: { path: "${steps.send.output.receipt}" } }';
    expect(refused(send(`params: { text: hi }, ${undo}`))).toEqual(["steps.send.output.receipt"]);
    expect(refused(send(`params: { text: hi }, approval: "Send it?", ${undo}`))).toEqual(["steps.send.output.receipt"]);
    expect(
      refused(send('params: { text: hi }, compensate: { tool: delete_file, params: { path: "${input.x}" } }')),
    ).toEqual([]);
  });

  test("results of a source that the workspace trusts are trusted if its arguments are", () => {
    const step = send('params: { text: "${steps.news.output}" }');
    expect(refused(step, { trusted: ["find_news"] })).toEqual([]);
    expect(refused(step, { trusted: ["find_photos"] })).toEqual(["steps.news.output"]);
    const chosen = `  - { id: tides, tool: read_tides, params: { harbour: "\${steps.news.output[0].title}" } }\n${send('params: { text: "${steps.tides.output}" }')}`;
    expect(refused(chosen, { trusted: ["read_tides"] })).toEqual(["steps.tides.output"]);
    expect(refused(chosen, { trusted: ["read_tides", "find_news"] })).toEqual([]);
  });

  test("trusting a tool does not cover others of the same name", () => {
    const registry = registryOf();
    const several = {
      names: () => registry.names(),
      resolve: (name: string) => {
        const found = registry.resolve(name);
        return found && name === "find_news" ? { ...found, isChoice: true } : found;
      },
    };
    const text = `name: c\ntaint: strict\nsteps:\n  - { id: news, tool: find_news, params: { topic: x } }\n${send('params: { text: "${steps.news.output}" }')}`;
    const { problems } = planText(text, { tools: several, trusted: ["find_news"] });
    expect(problems).toMatchObject([{ code: "untrusted_input", hint: expect.stringContaining("full name") }]);
  });

  test("reports the source, and a hint", () => {
    const text = `name: c\ntaint: strict\nsteps:\n  - { id: news, tool: find_news, params: { topic: x } }\n  - { id: report, tool: write_report, params: { title: x, body: "\${steps.news.output}" } }\n${send('params: { text: "${steps.report.output}" }')}`;
    expect(planText(text).problems).toEqual([
      {
        severity: "error",
        code: "untrusted_input",
        message:
          '"send_mail" may be destructive, and this value is untrusted: it comes from the step "news" (find_news)',
        hint: "add an approval to the step, so that a person sees the arguments, or trust the source: chains: { trusted_tools: [find_news] } in windlass.yaml",
        file: "chain.yaml",
        line: 6,
        column: expect.any(Number),
        length: "steps.report.output".length,
      },
    ]);
  });
});

/** Problems of the chain `outer` among these, which may call each other. */
function reportedOf(
  chains: Readonly<Record<string, string>>,
  taint: TaintPolicy = "show",
  trusted: string[] = [],
): string[] {
  const library = new ChainLibrary({ tools: registryOf(), taint, trusted });
  for (const [name, text] of Object.entries(chains)) {
    library.add({ name, text: `name: ${name}\n${text}`, file: `${name}.yaml` });
  }
  return library.problems("outer").map(({ line, code, message }) => `${line} ${code} ${message}`);
}

const strict = (steps: string): string => `taint: strict\nsteps:\n${steps}`;
const show = (steps: string): string => `steps:\n${steps}`;
const news = "  - { id: news, tool: find_news, params: { topic: x } }\n";
const sub = (rest = "", chain = "inner"): string =>
  `  - { id: sub, tool: ${chain}, params: { a: "\${json(steps.news.output)}", b: fixed }${rest} }\n`;
const removes =
  '  - { id: clean, tool: write_report, params: { title: "${input.a}" } }\n  - { id: drop, tool: delete_file, params: { path: "${steps.clean.output}", other: "${input.b}" } }\n';
const removesOther =
  '  - { id: clean, tool: write_report, params: { title: "${input.a}" } }\n  - { id: drop, tool: delete_file, params: { other: "${input.b}" } }\n';
const messageText =
  '"delete_file" may be destructive in the step "drop" of the chain "inner", and this value is untrusted: it comes from the step "news" (find_news)';

describe("[N08] untrusted content does not reach a destructive call through a called chain", () => {
  test("it is reported where it enters, and only for inputs that reach the call", () => {
    expect(reportedOf({ inner: show(removes), outer: strict(news + sub()) })).toEqual([
      `5 untrusted_input ${messageText}`,
    ]);
    expect(reportedOf({ inner: show(removesOther), outer: strict(news + sub()) })).toEqual([]);
    expect(reportedOf({ inner: show(removes), outer: show(news + sub()) })).toEqual([]);
    const whole = '  - { id: drop, tool: delete_file, params: { path: "${input}" } }';
    const inner = `input: { a: any, b: any }\n${show(whole)}`;
    expect(reportedOf({ inner, outer: strict(news + sub()) })).toEqual([`5 untrusted_input ${messageText}`]);
  });

  test("an approval on either side is enough: both show the untrusted content", () => {
    expect(reportedOf({ inner: show(removes), outer: strict(news + sub(", approval: Really?")) })).toEqual([]);
    const requests = removes.replace("id: drop,", "id: drop, approval: Really?,");
    expect(reportedOf({ inner: show(requests), outer: strict(news + sub()) })).toEqual([]);
  });

  test("a strict chain does not get it from one that is not", () => {
    expect(reportedOf({ inner: strict(removes), outer: show(news + sub()) })).toEqual([
      `4 untrusted_input ${messageText}`,
    ]);
    const between = `steps:\n  - { id: pass, tool: inner, params: { a: "\${input.a}", b: "\${input.b}" } }\n`;
    const chains = { inner: strict(removes), between, outer: show(news + sub("", "between")) };
    expect(reportedOf(chains)).toEqual([`4 untrusted_input ${messageText}`]);
  });

  test("the calls of a called chain count for a strict caller, regardless of the called chain's own setting", () => {
    const own =
      '  - { id: look, tool: anything }\n  - { id: drop, tool: delete_file, params: { path: "${steps.look.output}" } }\n';
    const outer = strict("  - { id: sub, tool: inner, approval: Really? }\n");
    expect(reportedOf({ inner: show(own), outer })).toEqual([
      '4 untrusted_input "delete_file" may be destructive in the step "drop" of the chain "inner", and gets untrusted content from the step "look" (anything)',
    ]);
    const deeper = show("  - { id: pass, tool: inner }\n");
    expect(reportedOf({ inner: show(own), between: deeper, outer: outer.replace("inner", "between") })).toEqual([
      expect.stringContaining('in the step "drop" of the chain "inner"'),
    ]);
    expect(reportedOf({ inner: show(own), outer: show("  - { id: sub, tool: inner }\n") })).toEqual([]);
    // If all are strict, the called chain itself is invalid.
    expect(reportedOf({ inner: show(own), outer }, "strict")).toEqual([expect.stringContaining("broken_chain")]);
  });

  test("chains that call each other in cycles are followed to the end", () => {
    const input = "input: { a: any?, b: any?, c: any?, go: any? }\n";
    const one = `${input}steps:\n  - { id: more, tool: two, condition: "\${input.go}", params: { a: "\${input.a}" } }\n  - { id: drop, tool: delete_file, params: { path: "\${input.c}" } }\n`;
    const two = `${input}steps:\n  - { id: back, tool: one, condition: "\${input.go}", params: { a: "\${input.a}", c: "\${input.b}" } }\n  - { id: on, tool: two, condition: "\${input.go}", params: { b: "\${input.a}" } }\n`;
    const outer = strict(`${news}${sub("", "one")}${sub("", "two").replace("sub", "sub2")}`);
    const found = reportedOf({ one, two, outer });
    expect(found).toHaveLength(2);
    expect(found.every((line) => line.includes('in the step "drop" of the chain "one"'))).toBe(true);
  });

  test("the output of a chain is untrusted if one of its tools is; trusting all of them is enough", () => {
    const inner = show(
      "  - { id: look, tool: anything }\n  - { id: tell, tool: write_report, params: { title: x } }\n",
    );
    const outer = strict(
      '  - { id: sub, tool: inner }\n  - { id: send, tool: send_mail, params: { text: "${steps.sub.output.tell}" } }\n',
    );
    expect(reportedOf({ inner, outer })).toEqual([expect.stringContaining('from the step "sub" (anything)')]);
    expect(reportedOf({ inner, outer }, "show", ["anything"])).toEqual([]);
  });

  test("a chain that passes five thousand values on is checked quickly", () => {
    const many = Array.from(
      { length: 5_000 },
      (_, at) => `  - { id: d${at}, tool: anything, params: { x: "\${input.i${at}}" } }`,
    );
    const passed = Array.from({ length: 5_000 }, (_, at) => `i${at}: "\${steps.news.output}"`).join(", ");
    const before = cpuTime();
    const outer = strict(`${news}  - { id: sub, tool: inner, params: { ${passed} } }\n`);
    expect(reportedOf({ inner: show(many.join("\n")), outer })).toEqual([]);
    expect(cpuTime() - before).toBeLessThan(20_000);
  });
});
