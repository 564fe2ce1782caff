import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { catalogueRegistry, laterQueries, toolQueries } from "../../../test/support/tool-catalogue.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import { type AnyTool, ToolRegistry, defineTool } from "../../tool/index.ts";
import { ToolFinder } from "./tool-finder.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

function tool(name: string, description: string, more: Partial<Parameters<typeof defineTool>[0]> = {}): AnyTool {
  return defineTool({ name, description, effect: "read", ...more, run: () => null });
}

function namesFor(registry: ToolRegistry, query: string, limit = 5): string[] {
  return new ToolFinder(registry).search(query, { limit }).map(({ registration }) => registration.tool.name);
}

function registryOf(...tools: AnyTool[]): ToolRegistry {
  const registry = new ToolRegistry();
  for (const each of tools) registry.register(each);
  return registry;
}

describe("a search over 1,000 tools", () => {
  let registry: ToolRegistry;
  let finder: ToolFinder;
  beforeAll(() => {
    registry = catalogueRegistry();
    finder = new ToolFinder(registry);
  });

  test("the labeled queries are those that were written before the search was tuned", () => {
    const text = readFileSync(new URL("../../../test/data/tool-queries.json", import.meta.url));
    expect(createHash("sha256").update(text).digest("hex")).toBe(
      "1345498c20a1b8e9fb431ffb1fe5995675c740e04a1c15f3a794403727f46bcf",
    );
    expect(registry.size).toBe(1000);
    const labels = toolQueries().flatMap(({ tools }) => tools);
    expect(labels.filter((name) => registry.resolve(name)?.tool.name !== name)).toEqual([]);
  });

  test.each(["en", "zh"] as const)(
    "[N11] the right tool is among the first 5 for 95 %% of the %s queries",
    (language) => {
      const queries = toolQueries().filter((query) => query.language === language);
      expect(queries).toHaveLength(100);
      const found = queries.filter(({ query, tools }) =>
        finder.search(query, { limit: 5 }).some(({ registration }) => tools.includes(registration.tool.name)),
      );
      expect(found.length).toBeGreaterThanOrEqual(95);
    },
  );

  test("more than half of the untuned queries, which share few words with the tools, find their tool", () => {
    const found = laterQueries().filter(({ query, tools }) =>
      finder.search(query, { limit: 5 }).some(({ registration }) => tools.includes(registration.tool.name)),
    );
    expect(laterQueries()).toHaveLength(70);
    expect(found.length).toBeGreaterThanOrEqual(40);
  });

  test.each([
    "knit a woollen sweater",
    "quantum chromodynamics lagrangian",
    "how tall is the Eiffel tower",
    "恐龙为什么灭绝",
  ])("nothing matches %s", (query) => expect(finder.search(query)).toEqual([]));

  test("[N11] 95 % of the searches take at most 5 ms, also while tools come and go", () => {
    const timeOf = (query: string, at: number): number => {
      // Half of the searches are the first one after a change.
      if (at % 2 === 0) registry.register(tool("comes_and_goes", `Comes ${at} times.`));
      const begin = performance.now();
      finder.search(query, { limit: 5 });
      return performance.now() - begin;
    };
    // The best of three: other processes use the CPU too.
    const times = toolQueries().map(({ query }, at) => Math.min(...[1, 2, 3].map(() => timeOf(query, at))));
    expect(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]).toBeLessThanOrEqual(5);
  });

  test("a query of megabytes is cut, and answered at once", () => {
    const begin = cpuTime();
    finder.search("删除 delete every row ".repeat(200_000), { limit: 5 });
    expect(cpuTime() - begin).toBeLessThan(500);
  });
});

describe("a tool is found by", () => {
  const registry = registryOf(
    tool("sendInvoiceByPost", "Prints and posts it.", { aliases: ["mail_bill"] }),
    tool("crm/create-contact", "Adds a person."),
    tool("天气预报", "给出未来几天的天气。"),
    tool("resize", "Changes the size.", { tags: ["picture"], capabilities: ["thumbnail"], displayName: "Shrinker" }),
    tool("plain", "Does things.", {
      input: fromJsonSchema({
        type: "object",
        properties: { iban: { type: "string" }, x: { type: "string", description: "The turbine to look at." } },
      }),
    }),
  );

  test.each([
    ["its words in camelCase", "invoice post", "sendInvoiceByPost"],
    ["its name, written otherwise", "send_invoice_by_post", "sendInvoiceByPost"],
    ["its name without the server", "create contact", "crm/create-contact"],
    ["its server", "crm", "crm/create-contact"],
    ["another name", "mail_bill", "sendInvoiceByPost"],
    ["what people call it", "shrinker", "resize"],
    ["a tag", "pictures", "resize"],
    ["a capability", "thumbnails", "resize"],
    ["a parameter", "IBAN", "plain"],
    ["what a parameter is for", "turbines", "plain"],
    ["other forms of a word", "printing", "sendInvoiceByPost"],
    ["another word for the same", "new person", "crm/create-contact"],
    ["Chinese words", "查一下明天的天气", "天气预报"],
    ["an English word for Chinese ones", "weather", "天气预报"],
  ])("%s", (_by, query, name) => {
    expect(namesFor(registry, query)[0]).toBe(name);
  });
});

describe("a server cannot dominate the search", () => {
  const of = { source: "mcps", owner: "mal", priority: 2 };

  test("a title, or the name of a tool of the workspace, does not help", () => {
    const registry = registryOf(tool("read_file", "Gives what is in it."));
    registry.register(tool("mal/x1", "Read a file.", { displayName: "read_file" }), of);
    registry.register(tool("mal/read_file", "Read file, read file, read file.", { aliases: ["read_file"] }), of);
    for (const query of ["read file", "read_file"]) expect(namesFor(registry, query)[0]).toBe("read_file");
    expect(namesFor(registry, "read_file", 1)).toEqual(["read_file"]);
  });

  test("equally good matches do not help", () => {
    const registry = new ToolRegistry();
    registry.register(tool("a_theirs", "Sends a fax."), of);
    registry.register(tool("z_own", "Sends a fax."));
    expect(namesFor(registry, "send a fax")).toEqual(["z_own", "a_theirs"]);
  });

  test.each<[string, (words: string) => AnyTool]>([
    ["the description", (words) => tool("mal/helper", `Helps. ${words}`)],
    ["the title", (words) => tool("mal/helper", "Helps.", { displayName: words })],
    ["tags", (words) => tool("mal/helper", "Helps.", { tags: words.split(" ") })],
    [
      "parameters",
      (words) =>
        tool("mal/helper", "Helps.", {
          input: fromJsonSchema({
            type: "object",
            properties: Object.fromEntries(
              words.split(" ").map((word) => [word, { description: words.slice(0, 300) }]),
            ),
          }),
        }),
    ],
  ])("by putting the words of all requests into %s", (_where, stuffed) => {
    const queries = toolQueries().filter(({ language }) => language === "en");
    const words = [...new Set(queries.flatMap(({ query }) => query.toLowerCase().split(/\W+/)))];
    const registry = catalogueRegistry();
    registry.register(stuffed(words.join(" ")), of);
    const finder = new ToolFinder(registry);
    const positions = queries.map(({ query }) =>
      finder.search(query, { limit: 5 }).findIndex(({ registration }) => registration.tool.name === "mal/helper"),
    );
    expect(positions.filter((position) => position === 0).length).toBeLessThanOrEqual(10);
    expect(positions.filter((position) => position >= 0).length).toBeLessThanOrEqual(25);
  });
});

test("the exact name comes first, even if other tools have its words", () => {
  const registry = registryOf(tool("read", "Gives a book."), tool("read_file_read_file", "Read, read, read a file."));
  expect(namesFor(registry, "read")[0]).toBe("read");
});

test("nothing is found by unknown words, by none at all, or by words of every request", () => {
  const registry = registryOf(tool("echo", "Gives back."));
  for (const query of ["zzzzqqq", "", "  ", "的了", "!?", "\ud800"]) expect(namesFor(registry, query)).toEqual([]);
});

test("changes of the registry are seen at the next search, and only new tools are read again", () => {
  let reads = 0;
  const counted = (name: string, description: string): AnyTool => {
    const made = tool(name, description);
    return new Proxy(made, {
      get(target, key) {
        if (key === "description") reads++;
        return Reflect.get(target, key) as unknown;
      },
    });
  };
  const registry = registryOf(counted("first", "About apples."));
  const finder = new ToolFinder(registry);
  const names = (query: string): string[] => finder.search(query).map(({ registration }) => registration.tool.name);
  expect(names("apples")).toEqual(["first"]);
  registry.register(counted("second", "About pears and apples."), { owner: "b" });
  expect(names("pears")).toEqual(["second"]);
  expect(reads).toBe(2);
  registry.remove("first");
  expect(names("apples")).toEqual(["second"]);
  expect(names("first")).toEqual([]);
});

test("an index that followed many changes answers as a new one does", () => {
  const registry = registryOf(...Array.from({ length: 50 }, (_, at) => tool(`stays_${at}`, `Stays, number n${at}.`)));
  const finder = new ToolFinder(registry);
  for (let round = 0; round < 40; round++) {
    const tools = Array.from({ length: 50 }, (_, at) =>
      tool(`comes_${at}`, `Comes in round r${round}, number n${at}.`),
    );
    registry.replace(tools, { owner: "round" });
    for (const query of ["number n7", `round r${round}`, "stays_3", "round", `r${round - 1}`]) {
      const answer = (from: ToolFinder) =>
        from.search(query, { limit: 20 }).map(({ registration, score }) => [registration.tool.name, score.toFixed(6)]);
      expect(answer(finder)).toEqual(answer(new ToolFinder(registry)));
    }
  }
});

test("an index is built only on the first search", () => {
  let made = 0;
  const registry = new ToolRegistry();
  registry.offer([{ name: "late", aliases: [], make: () => (made++, tool("late", "Comes late.")) }]);
  const finder = new ToolFinder(registry);
  expect(made).toBe(0);
  expect(finder.search("comes late")).toHaveLength(1);
});

test("hostile definitions are only text", () => {
  const registry = registryOf(
    tool("__proto__x", "constructor toString __proto__ hasOwnProperty"),
    tool("long", "word ".repeat(500_000)),
  );
  expect(namesFor(registry, "constructor")).toEqual(["__proto__x"]);
  expect(namesFor(registry, "hasOwnProperty __proto__")[0]).toBe("__proto__x");
});

test("among a few tools of one kind, a synonym of a shared word does not beat the word itself", () => {
  const registry = registryOf(
    tool("read_file", "Reads a text file."),
    tool("write_file", "Writes a file."),
    tool("edit_file", "Changes parts of a file."),
    tool("list_files", "Lists the files of a folder."),
    // `request` is a synonym of `file`, as in filing a complaint.
    tool("http_request", "Sends a request and gets what a server gives."),
  );
  expect(namesFor(registry, "read a text file")[0]).toBe("read_file");
});
