// Compares indexes for tool search. Prints, for 1,000 tools and 200 labeled queries, how often a right tool is among
// the first five, how long the index takes to build, and how long a search takes: for our own index, the text index of
// the stores (whose SQLite version ranks alike), and FTS5 in memory over the same terms and synonyms as our own. `node
// bench/find.ts [rounds]`
import { DatabaseSync } from "node:sqlite";
import { parseToolQuery } from "../src/hub/tool-search/parse-tool-query.ts";
import { readTerms } from "../src/hub/tool-search/tool-index.ts";
import { toolFields } from "../src/hub/tool-search/tool-fields.ts";
import { ToolFinder } from "../src/hub/tool-search/tool-finder.ts";
import { createInMemoryTextIndex } from "../src/store/index.ts";
import type { ToolRegistry } from "../src/tool/index.ts";
import { type ToolQuery, catalogueRegistry, toolQueries } from "../test/support/tool-catalogue.ts";

type Search = (query: string) => readonly string[] | Promise<readonly string[]>;

interface Contender {
  readonly name: string;
  readonly open: (registry: ToolRegistry) => Search | Promise<Search>;
}

const first = 5;

const contenders: readonly Contender[] = [
  {
    name: "ToolFinder",
    open(registry) {
      const finder = new ToolFinder(registry);
      // Builds the index.
      finder.search("tool");
      return (query) => finder.search(query, { limit: first }).map(({ registration }) => registration.tool.name);
    },
  },
  {
    name: "text index of the stores, in memory",
    async open(registry) {
      const index = createInMemoryTextIndex();
      const documents = registry.list().map(({ tool }) => ({
        id: tool.name,
        title: [tool.name, tool.displayName, ...tool.aliases].join(" ").replaceAll("/", " "),
        body: [tool.description, parametersOf(tool.input.json)].join("\n"),
        tags: [...tool.tags, ...tool.capabilities, tool.category],
        at: 0,
      }));
      await index.put("tools", documents);
      return async (query) => (await index.search("tools", { text: query, limit: first })).map(({ id }) => id);
    },
  },
  {
    name: "FTS5 in memory, bm25, same terms and synonyms",
    open(registry) {
      const db = new DatabaseSync(":memory:");
      db.exec("CREATE VIRTUAL TABLE tools USING fts5(name UNINDEXED, main, rest, tokenize = 'unicode61')");
      const insert = db.prepare("INSERT INTO tools VALUES (?, ?, ?)");
      db.exec("BEGIN");
      for (const { tool } of registry.list()) {
        const fields = toolFields(tool);
        const texts = (heavy: boolean): string =>
          fields.flatMap(({ text, weight }) => (weight >= 2 === heavy ? termsOf(text) : [])).join(" ");
        insert.run(tool.name, texts(true), texts(false));
      }
      db.exec("COMMIT");
      const select = db.prepare(
        `SELECT name FROM tools WHERE tools MATCH ? ORDER BY bm25(tools, 0, 2.5, 1) LIMIT ${first}`,
      );
      return (query) => {
        const terms = new Set(parseToolQuery(query).flatMap((requested) => [...requested.keys()]));
        const match = [...terms].map((term) => `"${term.replaceAll('"', "")}"`).join(" OR ");
        return match === "" ? [] : select.all(match).map((row) => String(row["name"]));
      };
    },
  },
];

function termsOf(text: string): string[] {
  const terms: string[] = [];
  readTerms(text, (term) => terms.push(term));
  return terms;
}

function parametersOf(json: object): string {
  return JSON.stringify(Reflect.get(json, "properties") ?? {}).replaceAll(/["{}:,]+/g, " ");
}

const registry = catalogueRegistry();
const queries = toolQueries();
// Warms up what the first contender would otherwise pay for: the character table and the schemas of the tools.
for (const { tool } of registry.list()) termsOf(tool.description + parametersOf(tool.input.json));
const rounds = Number(process.argv[2] ?? 10);
console.log(`${registry.size} tools, ${queries.length} queries, ${rounds} rounds\n`);
console.log("index".padEnd(48), "made ms", "   en", "   zh", " p50 ms", " p95 ms", " first ms");
for (const contender of contenders) await measure(contender);

async function measure({ name, open }: Contender): Promise<void> {
  const begin = performance.now();
  const search = await open(registry);
  const made = performance.now() - begin;
  const times: number[] = [];
  const right = { en: 0, zh: 0 };
  for (let round = 0; round < rounds; round++) {
    for (const query of queries) {
      const start = performance.now();
      const names = await search(query.query);
      times.push(performance.now() - start);
      if (round === 0 && isRight(query, names)) right[query.language]++;
    }
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor(part * sorted.length)] ?? Number.NaN).toFixed(2).padStart(7);
  const cells = [
    made.toFixed(0).padStart(7),
    `${right.en} %`.padStart(5),
    `${right.zh} %`.padStart(5),
    at(0.5),
    at(0.95),
  ];
  console.log(name.padEnd(48), ...cells, (times[0] ?? 0).toFixed(2).padStart(9));
}

function isRight({ tools }: ToolQuery, names: readonly string[]): boolean {
  return names.some((name) => tools.includes(name));
}
