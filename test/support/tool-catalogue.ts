// A catalogue of 1,000 tools, the same every time: those of servers from npm as they were listed, the built-in ones, and
// generated ones of made-up services, half of them described in Chinese.
import { readFileSync } from "node:fs";
import { builtinTools } from "../../src/builtin/index.ts";
import { createHttpClient } from "../../src/net/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../src/schema/index.ts";
import { type AnyTool, ToolRegistry, defineTool } from "../../src/tool/index.ts";
import { chineseServices } from "./chinese-tools.ts";
import { type ServiceSpec, englishServices } from "./english-tools.ts";

/** A labeled query: any of these tools is a right answer. */
export interface ToolQuery {
  readonly language: "en" | "zh";
  readonly query: string;
  readonly tools: readonly string[];
}

/** Queries of people and agents. Written before the search was tuned, and unchanged since. */
export function toolQueries(): readonly ToolQuery[] {
  return JSON.parse(readFileSync(new URL("../data/tool-queries.json", import.meta.url), "utf8")) as ToolQuery[];
}

/** Other phrasings, written by another person when the search was done. Nothing is tuned for them. */
export function laterQueries(): readonly ToolQuery[] {
  return JSON.parse(readFileSync(new URL("../data/tool-queries-later.json", import.meta.url), "utf8")) as ToolQuery[];
}

/** A registry with the whole catalogue. */
export function catalogueRegistry(size = 1000): ToolRegistry {
  const registry = new ToolRegistry();
  for (const tool of builtinTools({ http: createHttpClient() })) registry.register(tool, { owner: "builtin" });
  for (const [server, tools] of listedTools()) {
    registry.replace(tools, { source: "mcps", owner: server, priority: 2 });
  }
  const made = generatedTools();
  for (const [server, tools] of made) {
    const room = size - registry.size;
    registry.replace(tools.slice(0, room), { source: "mcps", owner: server, priority: 2 });
  }
  return registry;
}

interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

/** The tools of servers from npm, as those list them. */
function listedTools(): Map<string, AnyTool[]> {
  const text = readFileSync(new URL("../data/tool-catalogue.json", import.meta.url), "utf8");
  const servers = Object.entries(JSON.parse(text) as Record<string, ListedTool[]>);
  return new Map(
    servers.map(([server, tools]) => [
      server,
      tools.map(({ name, title, description, inputSchema, annotations }) =>
        defineTool({
          name: `${server}/${name}`,
          ...(title !== undefined && { displayName: title }),
          description,
          category: "mcp",
          effect: annotations?.readOnlyHint === true ? "read" : "once",
          input: fromJsonSchema(inputSchema),
          run: () => null,
        }),
      ),
    ]),
  );
}

/** Generated tools by their server. */
export function generatedTools(): Map<string, AnyTool[]> {
  const random = seeded(20_261_115);
  const make = (service: ServiceSpec, write: Writer): [string, AnyTool[]] => [
    service.server,
    [
      ...service.own.map(([name, description, fields]) => toolOf(service, { name, description, fields })),
      ...service.things.flatMap(([one, many, verbs, fields]) =>
        verbs.split(" ").map((verb) => toolOf(service, { ...write({ service, one, many, verb, random }), fields })),
      ),
    ],
  ];
  return new Map([
    ...englishServices.map((service) => make(service, writeEnglish)),
    ...chineseServices.map((service) => make(service, writeChinese)),
  ]);
}

interface Draft {
  readonly service: ServiceSpec;
  readonly one: string;
  readonly many: string;
  readonly verb: string;
  readonly random: () => number;
}

interface Written {
  readonly name: string;
  readonly description: string;
  readonly displayName?: string;
}

type Writer = (draft: Draft) => Written;

const readingVerbs = new Set(["list", "get", "search"]);

const writeEnglish: Writer = ({ service, one, many, verb, random }) => {
  const words = `${verb} ${readingVerbs.has(verb) && verb !== "get" ? many : one}`.toLowerCase().split(" ");
  const forms = englishForms[verb] ?? [`${capital(verb)}s ${aOf(one)}.`];
  const description = pick(forms, random)
    .replaceAll("{one}", one)
    .replaceAll("{a}", aOf(one))
    .replaceAll("{many}", many)
    .replaceAll("{system}", service.system);
  return { name: joined(words, service.style), description };
};

const englishForms: Readonly<Record<string, readonly string[]>> = {
  create: [
    "Creates a new {one} in {system}. Returns the {one} with its id.",
    "Add {a} to {system}.",
    "Makes a new {one}. Optional fields may be left out.",
    "Use this to set up a new {one} in {system}; returns its identifier.",
  ],
  list: [
    "Lists {many} in {system}, newest first. Supports paging with a cursor.",
    "Returns all {many} that match the given filters.",
    "Get a page of {many} from {system}.",
  ],
  get: [
    "Retrieve one {one} by its id, with all details.",
    "Fetches a single {one} from {system}.",
    "Returns everything {system} knows about {a}.",
  ],
  update: [
    "Changes fields of an existing {one}. Fields that are left out stay as they are.",
    "Update {a} in {system}.",
    "Modifies {a}; pass only what should change.",
  ],
  delete: ["Permanently deletes {a}. This cannot be undone.", "Removes {a} from {system}.", "Delete one {one} by id."],
  search: ["Full-text search over {many} in {system}.", "Finds {many} by keyword, status or date."],
  cancel: ["Cancels {a}; it stays visible as cancelled.", "Cancel {a} in {system}."],
  pause: ["Stops {a} for now; it can be resumed later."],
  activate: ["Runs {a} now."],
  upload: ["Uploads {a} to {system}."],
  revoke: ["Revokes {a} at once; whoever uses it is locked out."],
};

const writeChinese: Writer = ({ service, one, many, verb, random }) => {
  const [name = "", called = ""] = one.split(" ");
  const described = pick(chineseForms[verb] ?? ["{one}"], random)
    .replaceAll("{one}", called)
    .replaceAll("{system}", service.system);
  const words = [verb, ...(readingVerbs.has(verb) && verb !== "get" ? many : name).split(/_|(?=[A-Z])/)];
  const title = `${chineseVerbs[verb] ?? ""}${called}`;
  return {
    name: joined(
      words.map((word) => word.toLowerCase()),
      service.style,
    ),
    description: described,
    ...(random() < 0.5 && { displayName: title }),
  };
};

const chineseVerbs: Readonly<Record<string, string>> = {
  create: "新建",
  list: "查询",
  get: "查看",
  update: "修改",
  delete: "删除",
  search: "搜索",
  cancel: "撤销",
};

const chineseForms: Readonly<Record<string, readonly string[]>> = {
  create: ["在{system}中新建一个{one}，返回编号。", "创建{one}。", "新增{one}，可选字段可以不填。"],
  list: ["分页查询{system}的{one}列表。", "列出符合条件的{one}。", "获取{one}列表，按时间倒序。"],
  get: ["根据编号获取{one}详情。", "查看单个{one}的完整信息。"],
  update: ["修改{one}，未传的字段保持不变。", "更新{system}里的{one}信息。", "编辑已有的{one}。"],
  delete: ["删除指定的{one}，不可恢复。", "从{system}移除{one}。"],
  search: ["按关键词搜索{one}。", "根据条件检索{system}中的{one}。"],
  cancel: ["撤销{one}。", "取消{one}，记录会保留。"],
};

interface Made extends Written {
  readonly fields: string;
}

function toolOf({ server }: ServiceSpec, { name, description, displayName, fields }: Made): AnyTool {
  const reads = /^(?:list|get|search|find|query|check|show)/.test(name);
  const keys = fields.split(", ").filter((field) => field !== "");
  const properties = Object.fromEntries(
    keys.map((field, index) => {
      // Chinese services name their parameters in letters too, and say in Chinese what they are.
      const isPlain = /^[a-z_]+$/.test(field);
      return isPlain ? [field, { type: "string" }] : [`p${index + 1}`, { type: "string", description: field }];
    }),
  );
  return defineTool({
    name: `${server}/${name}`,
    ...(displayName !== undefined && { displayName }),
    description,
    category: "mcp",
    effect: reads ? "read" : "once",
    input: fromJsonSchema({ type: "object", properties, required: Object.keys(properties).slice(0, 1) }),
    run: () => null,
  });
}

function joined(words: readonly string[], style: ServiceSpec["style"]): string {
  if (style === "snake") return words.join("_");
  if (style === "kebab") return words.join("-");
  return words.map((word, index) => (index === 0 ? word : capital(word))).join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function aOf(one: string): string {
  return /^[aeiou]/i.test(one) && !/^(?:use|uni)/i.test(one) ? `an ${one}` : `a ${one}`;
}

function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

/** Numbers between 0 and 1 that look random and are always the same (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
