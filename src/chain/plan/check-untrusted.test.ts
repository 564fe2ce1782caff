import { describe, expect, test } from "vitest";
import { harbourTools, planText, plannedTool } from "../../../test/support/planning.ts";
import { ChainLibrary } from "../library.ts";
import { type AnyTool, ToolRegistry } from "../../tool/index.ts";
import type { PlanContext } from "./plan-context.ts";
import type { Taint } from "./spec.ts";

const shell: readonly AnyTool[] = [
  plannedTool("delete_file", { effect: "idempotent", destructive: true }),
  plannedTool("peek", { effect: "read", destructive: true }),
];

function registryOf(tools: readonly AnyTool[] = [...harbourTools, ...shell]): ToolRegistry {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  return registry;
}

/** What is refused: the text that is underlined, and what is said about it. */
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

describe("[N08] what came from outside does not reach a call that may do harm", () => {
  test("unless a person sees its arguments first", () => {
    const params = 'params: { text: "${steps.news.output}" }';
    expect(refused(send(params))).toEqual(["steps.news.output"]);
    expect(refused(send(`${params}, approval: "Send it?"`))).toEqual([]);
    expect(refused(send(`${params}, approval: { message: "Send it?", approvers: [ann] }`))).toEqual([]);
  });

  test("only shown where nobody said strict, and where neither the chain nor the workspace can be outvoted", () => {
    const step = send('params: { text: "${steps.news.output}" }');
    expect(refused(step, { head: "" })).toEqual([]);
    expect(refused(step, { head: "taint: show" })).toEqual([]);
    expect(refused(step, { head: "", taint: "strict" })).toEqual(["steps.news.output"]);
    expect(refused(step, { head: "taint: show", taint: "strict" })).toEqual(["steps.news.output"]);
    expect(refused(step, { head: "taint: strict", taint: "show" })).toEqual(["steps.news.output"]);
  });

  test("tools that do no harm may have it, tools of which it is not known may not", () => {
    const call = (tool: string): string => `  - { id: x, tool: ${tool}, params: { text: "\${steps.news.output}" } }`;
    expect(refused(call("anything"))).toEqual([]);
    expect(refused(call("save_file"))).toEqual([]);
    expect(refused(call("delete_file"))).toEqual(["steps.news.output"]);
    const service = (method: string): string => `  - { id: x, tool: call_service, params: { method: "${method}" } }`;
    expect(refused(service("${steps.news.output[0].title}"))).toEqual(["steps.news.output[0].title"]);
    expect(refused(service("GET"))).toEqual([]);
  });

  test("nor through tools that are pure, text around it, parts of it, names for it, or lists", () => {
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

  test("but what the chain was given, what is fixed, and what only decides whether it runs may", () => {
    const told = refused(
      send(
        'params: { text: "${input.a} ${context.b} ${run.id} ${index} ${steps.news.status}" }, for_each: [1, 2], condition: "${steps.news.output}"',
      ),
    );
    expect(told).toEqual([]);
  });

  test("in a loop: not what the last round gave", () => {
    const loop = "repeat: { until: \"${steps.send.output.receipt == 'last'}\" }";
    expect(refused(send(`params: { text: "\${steps.send.output.receipt ?? 'first'}" }, ${loop}`))).toEqual([
      "steps.send.output.receipt",
    ]);
  });

  test("in what stands in for a step: asked about with it, unless it only reads", () => {
    const steps = (tool: string, more = ""): string =>
      `  - { id: x, tool: anything, ${more} error_handling: { fallback: [{ tool: ${tool}, params: { text: "\${error.message}" } }] } }`;
    expect(refused(steps("delete_file"))).toEqual(["error.message"]);
    expect(refused(steps("delete_file", "approval: Really?,"))).toEqual([]);
    expect(refused(steps("peek", "approval: Really?,"))).toEqual(["error.message"]);
    const ofChain = `  - { id: x, tool: anything }\n  - { id: y, tool: anything }\nerror_handling: { fallback: [{ tool: delete_file, params: { text: "\${steps.news.output}" } }] }`;
    expect(refused(ofChain)).toEqual(["steps.news.output"]);
  });

  test("in what undoes a step, of which nobody is asked", () => {
    const undo = 'compensate: { tool: delete_file, params: { path: "${steps.send.output.receipt}" } }';
    expect(refused(send(`params: { text: hi }, ${undo}`))).toEqual(["steps.send.output.receipt"]);
    expect(refused(send(`params: { text: hi }, approval: "Send it?", ${undo}`))).toEqual(["steps.send.output.receipt"]);
    expect(
      refused(send('params: { text: hi }, compensate: { tool: delete_file, params: { path: "${input.x}" } }')),
    ).toEqual([]);
  });

  test("unless the workspace relies on its source, which then is as good as what it was called with", () => {
    const step = send('params: { text: "${steps.news.output}" }');
    expect(refused(step, { trusted: ["find_news"] })).toEqual([]);
    expect(refused(step, { trusted: ["find_photos"] })).toEqual(["steps.news.output"]);
    const chosen = `  - { id: tides, tool: read_tides, params: { harbour: "\${steps.news.output[0].title}" } }\n${send('params: { text: "${steps.tides.output}" }')}`;
    expect(refused(chosen, { trusted: ["read_tides"] })).toEqual(["steps.tides.output"]);
    expect(refused(chosen, { trusted: ["read_tides", "find_news"] })).toEqual([]);
  });

  test("who trusts a tool does not mean all that share its name", () => {
    const registry = registryOf();
    const several = {
      names: () => registry.names(),
      resolve: (name: string) => {
        const found = registry.resolve(name);
        return found && name === "find_news" ? { ...found, chooses: true } : found;
      },
    };
    const text = `name: c\ntaint: strict\nsteps:\n  - { id: news, tool: find_news, params: { topic: x } }\n${send('params: { text: "${steps.news.output}" }')}`;
    const { problems } = planText(text, { tools: several, trusted: ["find_news"] });
    expect(problems).toMatchObject([{ code: "untrusted_input", hint: expect.stringContaining("full name") }]);
  });

  test("says where it comes from, and what to do", () => {
    const text = `name: c\ntaint: strict\nsteps:\n  - { id: news, tool: find_news, params: { topic: x } }\n  - { id: report, tool: write_report, params: { title: "\${steps.news.output}" } }\n${send('params: { text: "${steps.report.output}" }')}`;
    expect(planText(text).problems).toEqual([
      {
        severity: "error",
        code: "untrusted_input",
        message: '"send_mail" may do harm, and this comes from outside: from the step "news" (find_news)',
        hint: "add an approval to the step, so that a person sees what is sent, or trust the source: chains: { trusted: [find_news] } in windlass.yaml",
        file: "chain.yaml",
        line: 6,
        column: expect.any(Number),
        length: "steps.report.output".length,
      },
    ]);
  });
});

/** What is told about the chain `outer` among these, which may call each other. */
function toldOf(chains: Readonly<Record<string, string>>, taint: Taint = "show", trusted: string[] = []): string[] {
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
  `  - { id: sub, tool: ${chain}, params: { a: "\${steps.news.output}", b: fixed }${rest} }\n`;
const removes =
  '  - { id: clean, tool: write_report, params: { title: "${input.a}" } }\n  - { id: drop, tool: delete_file, params: { path: "${steps.clean.output}", other: "${input.b}" } }\n';
const removesOther =
  '  - { id: clean, tool: write_report, params: { title: "${input.a}" } }\n  - { id: drop, tool: delete_file, params: { other: "${input.b}" } }\n';
const said =
  '"delete_file" may do harm in the step "drop" of the chain "inner", and this comes from outside: from the step "news" (find_news)';

describe("[N08] nor through a chain that is called", () => {
  test("it is told where it goes in, and only of inputs that get there", () => {
    expect(toldOf({ inner: show(removes), outer: strict(news + sub()) })).toEqual([`5 untrusted_input ${said}`]);
    expect(toldOf({ inner: show(removesOther), outer: strict(news + sub()) })).toEqual([]);
    expect(toldOf({ inner: show(removes), outer: show(news + sub()) })).toEqual([]);
    const whole = '  - { id: drop, tool: delete_file, params: { path: "${input}" } }';
    const inner = `input: { a: any, b: any }\n${show(whole)}`;
    expect(toldOf({ inner, outer: strict(news + sub()) })).toEqual([`5 untrusted_input ${said}`]);
  });

  test("an approval on either side is enough: both show what comes from outside", () => {
    expect(toldOf({ inner: show(removes), outer: strict(news + sub(", approval: Really?")) })).toEqual([]);
    const asks = removes.replace("id: drop,", "id: drop, approval: Really?,");
    expect(toldOf({ inner: show(asks), outer: strict(news + sub()) })).toEqual([]);
  });

  test("a strict chain is not given it by one that is not", () => {
    expect(toldOf({ inner: strict(removes), outer: show(news + sub()) })).toEqual([`4 untrusted_input ${said}`]);
    const between = `steps:\n  - { id: pass, tool: inner, params: { a: "\${input.a}", b: "\${input.b}" } }\n`;
    const chains = { inner: strict(removes), between, outer: show(news + sub("", "between")) };
    expect(toldOf(chains)).toEqual([`4 untrusted_input ${said}`]);
  });

  test("what a called chain does on its own counts for a strict caller, whatever it says itself", () => {
    const own =
      '  - { id: look, tool: anything }\n  - { id: drop, tool: delete_file, params: { path: "${steps.look.output}" } }\n';
    const outer = strict("  - { id: sub, tool: inner, approval: Really? }\n");
    expect(toldOf({ inner: show(own), outer })).toEqual([
      '4 untrusted_input "delete_file" may do harm in the step "drop" of the chain "inner", with what comes from outside: from the step "look" (anything)',
    ]);
    const deeper = show("  - { id: pass, tool: inner }\n");
    expect(toldOf({ inner: show(own), between: deeper, outer: outer.replace("inner", "between") })).toEqual([
      expect.stringContaining('in the step "drop" of the chain "inner"'),
    ]);
    expect(toldOf({ inner: show(own), outer: show("  - { id: sub, tool: inner }\n") })).toEqual([]);
    // Where all are strict, the chain itself is what is wrong.
    expect(toldOf({ inner: show(own), outer }, "strict")).toEqual([expect.stringContaining("broken_chain")]);
  });

  test("chains that call each other in circles are followed to the end", () => {
    const input = "input: { a: any?, b: any?, c: any?, go: any? }\n";
    const one = `${input}steps:\n  - { id: more, tool: two, condition: "\${input.go}", params: { a: "\${input.a}" } }\n  - { id: drop, tool: delete_file, params: { path: "\${input.c}" } }\n`;
    const two = `${input}steps:\n  - { id: back, tool: one, condition: "\${input.go}", params: { a: "\${input.a}", c: "\${input.b}" } }\n  - { id: on, tool: two, condition: "\${input.go}", params: { b: "\${input.a}" } }\n`;
    const outer = strict(`${news}${sub("", "one")}${sub("", "two").replace("sub", "sub2")}`);
    const found = toldOf({ one, two, outer });
    expect(found).toHaveLength(2);
    expect(found.every((line) => line.includes('in the step "drop" of the chain "one"'))).toBe(true);
  });

  test("what a chain gives is from outside if one of its tools is; trusting them all is enough", () => {
    const inner = show(
      "  - { id: look, tool: anything }\n  - { id: tell, tool: write_report, params: { title: x } }\n",
    );
    const outer = strict(
      '  - { id: sub, tool: inner }\n  - { id: send, tool: send_mail, params: { text: "${steps.sub.output.tell}" } }\n',
    );
    expect(toldOf({ inner, outer })).toEqual([expect.stringContaining('from the step "sub" (anything)')]);
    expect(toldOf({ inner, outer }, "show", ["anything"])).toEqual([]);
  });

  test("a chain that passes five thousand values on is looked at quickly", () => {
    const many = Array.from(
      { length: 5_000 },
      (_, at) => `  - { id: d${at}, tool: anything, params: { x: "\${input.i${at}}" } }`,
    );
    const passed = Array.from({ length: 5_000 }, (_, at) => `i${at}: "\${steps.news.output}"`).join(", ");
    const before = performance.now();
    const outer = strict(`${news}  - { id: sub, tool: inner, params: { ${passed} } }\n`);
    expect(toldOf({ inner: show(many.join("\n")), outer })).toEqual([]);
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});
