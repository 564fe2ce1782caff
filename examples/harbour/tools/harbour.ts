/** The tools of a harbour office, with made-up results that take a moment. */
import { setTimeout as wait } from "node:timers/promises";
import { defineTool, fail, fromJsonSchema } from "windlass";

const inHarbour = fromJsonSchema<{ harbour: string }>({
  type: "object",
  properties: { harbour: { type: "string", minLength: 1, description: "Its name." } },
  required: ["harbour"],
});

export const tideTable = defineTool({
  name: "tide_table",
  description: "High and low water of today, in metres.",
  effect: "read",
  input: inHarbour,
  run: async (_args, { signal }) => {
    await wait(500, undefined, { signal });
    return { high: 4.1, low: 2.4 };
  },
});

let requested = 0;

export const seaWeather = defineTool({
  name: "sea_weather",
  description: "Sky and wind of today.",
  effect: "read",
  input: inHarbour,
  run: async (_args, { signal }) => {
    await wait(250, undefined, { signal });
    if (++requested % 2 === 1) return fail("the weather station is busy", { code: "not_available" });
    return { sky: "clear", wind: 4 };
  },
});

export const shipList = defineTool({
  name: "ship_list",
  description: "The ships of today.",
  effect: "read",
  input: inHarbour,
  run: async (_args, { signal }) => {
    await wait(350, undefined, { signal });
    return {
      ships: [
        { name: "Adelaar", draught: 1.8, arrives: "07:10" },
        { name: "Zeemeeuw", draught: 2.9, arrives: "08:30" },
        { name: "海鸥", draught: 1.2, arrives: "09:05" },
        { name: "Oude Liefde", draught: 2.0 },
      ],
    };
  },
});

export const findBerth = defineTool({
  name: "find_berth",
  description: "A berth that is deep enough at low water.",
  effect: "read",
  input: fromJsonSchema<{ ship: string; draught: number; depth: number }>({
    type: "object",
    properties: { ship: { type: "string" }, draught: { type: "number" }, depth: { type: "number" } },
    required: ["ship", "draught", "depth"],
  }),
  run: async ({ ship, draught, depth }, { signal }) => {
    await wait(200 + ship.length * 20, undefined, { signal });
    const berth = draught < depth ? "inner quay" : "outer mole";
    return { ship, berth, line: `${ship}: ${berth}` };
  },
});

export const writeNotice = defineTool({
  name: "write_notice",
  description: "A notice for the board at the quay.",
  effect: "pure",
  input: fromJsonSchema<{ title: string; lines: string[] }>({
    type: "object",
    properties: { title: { type: "string" }, lines: { type: "array", items: { type: "string" } } },
    required: ["title", "lines"],
  }),
  output: fromJsonSchema<{ text: string }>({
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
  }),
  run: ({ title, lines }) => ({ text: [title, ...lines.map((line) => `- ${line}`)].join("\n") }),
});
