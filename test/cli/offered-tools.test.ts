import { describe, expect, test } from "vitest";
import type { ReceivedRequest } from "../../src/testing.ts";
import { agentWorkspace } from "./agent-workspace.ts";
import { windlass } from "./windlass.ts";

/** Names of the tools in a model request. */
function toolsOf(request: ReceivedRequest | undefined): string[] {
  // The server has validated it.
  const { tools = [] } = (request?.body ?? {}) as { readonly tools?: readonly { function: { name: string } }[] };
  return tools.map((tool) => tool.function.name);
}

function toolFile(name: string, description: string): Record<string, string> {
  return {
    [`tools/${name}.yaml`]: `name: ${name}
description: ${description}
effect: read
parameters:
  - { name: subject, type: string, description: What it is about. }
entry: { type: custom, module: ./work.ts }
`,
    "tools/work.ts": "export default ({ subject }: { subject: string }) => ({ subject });\n",
  };
}

const shop = {
  ...toolFile("price_of", "Returns the price of a product of the shop."),
  ...toolFile("stock_of", "Returns how many pieces of a product are in stock."),
  ...toolFile("open_hours", "Returns when the shop is open."),
  "chains/order.yaml": `name: order
description: Checks the price and the stock of a product.
input:
  product: { type: string, description: Its name. }
steps:
  - { id: price, tool: price_of, params: { subject: "\${input.product}" } }
`,
};

describe.concurrent("the tools offered to a model", () => {
  test("[U1] the workspace's own tools and chains are in the first request, and no tool that cannot work", async () => {
    const { cwd, server } = await agentWorkspace(["It costs 2 euros."], { files: shop });
    const { code } = await windlass(["ask", "What is the price of an apple in our shop?"], { cwd });
    expect(code).toBe(0);
    const names = toolsOf(server.requests[0]);
    expect(names).toEqual(expect.arrayContaining(["price_of", "stock_of", "open_hours", "order", "find_tools"]));
    expect(names).not.toContain("web_search");
    expect(names).not.toContain("echo");
  });

  test("[U1] of 300 tools those that match the prompt are in the first request", async () => {
    const subjects = "invoice ship route parcel garden kettle violin bridge lemon rocket".split(" ");
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => {
        const about = `${subjects[index % subjects.length] ?? ""}${Math.floor(index / subjects.length)}`;
        return Object.entries(toolFile(`tool_${about}`, `Returns the state of the ${about} in the north hall.`));
      }).flat(),
    );
    const matching = toolFile("zz_humidity", "Measures the humidity of the cellar in percent.");
    const { cwd, server } = await agentWorkspace(["It is 61 percent."], { files: { ...files, ...matching } });
    const { code } = await windlass(["ask", "How humid is the cellar? I need its humidity in percent."], { cwd });
    expect(code).toBe(0);
    const names = toolsOf(server.requests[0]);
    expect(names).toContain("zz_humidity");
    expect(names).toContain("find_tools");
    expect(names.length).toBeLessThan(100);
  });

  test("[U1] a later prompt of the conversation appends its best match, and keeps the order of the others", async () => {
    const answers = ["Hello.", "61 percent."];
    const { cwd, server } = await agentWorkspace(answers, { files: shop });
    await windlass(["ask", "Hello", "--conversation", "one"], { cwd });
    await windlass(["ask", "What will the weather be in Oslo?", "--conversation", "one"], { cwd });
    const [first = [], second = []] = server.requests.map(toolsOf);
    expect(first).not.toContain("get_weather");
    expect(second).toEqual([...first, "get_weather"]);
  });
});
