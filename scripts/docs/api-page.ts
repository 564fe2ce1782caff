import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "oxfmt";
import { declareSettings } from "./declare-settings.ts";
import { type PublicName, publicNames } from "./public-names.ts";
import { type Statement, readStatements } from "./read-statements.ts";

const titles: Readonly<Record<PublicName["kind"], string>> = {
  function: "Functions",
  class: "Classes",
  const: "Values",
  interface: "Types",
  type: "Types",
};

/** The entries of the package, with the page of each in `docs/reference/api/`. */
export const apiModules: readonly { readonly name: string; readonly source: string; readonly page: string }[] = [
  "windlass",
  "windlass/agent",
  "windlass/ai-sdk",
  "windlass/chain",
  "windlass/client",
  "windlass/hub",
  "windlass/langchain",
  "windlass/mcp",
  "windlass/otel",
  "windlass/server",
  "windlass/testing",
  "windlass/tools",
].map((name) => {
  const short = name.replace("windlass/", "");
  return { name, source: sourceOf(`src/${short === "windlass" ? "index" : short}.ts`), page: `${short}.md` };
});

type ApiModule = (typeof apiModules)[number];

const generated = "<!-- Generated from the declarations and comments in the code by npm run docs. -->";

/** Renders the list of the entries, with their functions and classes. */
export function apiIndexPage(): string {
  const sections = apiModules.map((module) => {
    const names = publicNames(module.source).filter(({ kind }) => kind === "function" || kind === "class");
    const link = linksOf(module, "api/");
    const rows = names.map(({ name, doc }) => `| ${link(name)} | ${summary(doc).replaceAll("|", "\\|")} |`);
    return `## [${module.name}](api/${module.page})\n\n${aboutOf(module)}\n\n| | |\n| --- | --- |\n${rows.join("\n")}\n`;
  });
  return `${generated}
# Library

Everything that the package exports, one page per entry, with signatures, parameters and examples. To learn by task,
start with the [guides](../../README.md#documentation).

${sections.join("\n")}`;
}

/** Renders the page of one entry: every exported name with its signature and its comment. */
export async function apiPage(module: ApiModule): Promise<string> {
  const names = await Promise.all(publicNames(module.source).map(declareSettings));
  const { code } = await format("entry.d.ts", names.map(({ declaration }) => declaration).join("\n"), {
    printWidth: 115,
  });
  const statements = Map.groupBy(readStatements("entry.d.ts", code), ({ name }) => name);
  const link = linksOf(module, "");
  const sections = groupsOf(names).map(([title, own]) => {
    const entries = own.map((item) => entryText(item, statements.get(declaredName(item)) ?? [], link));
    return `## ${title}\n\n${entries.join("\n")}`;
  });
  const contents = groupsOf(names).map(([title, own]) => `- ${title}: ${own.map(({ name }) => link(name)).join(", ")}`);
  return `${generated}
# ${module.name}

${aboutOf(module)}

${contents.join("\n")}

${sections.join("\n")}`;
}

function sourceOf(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** The comment of an entry, without its tag. */
function aboutOf({ source }: ApiModule): string {
  const [, comment = ""] = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(source, "utf8")) ?? [];
  return comment
    .replaceAll(/^ \* ?/gm, "")
    .replace("@packageDocumentation", "")
    .trim();
}

function groupsOf(names: readonly PublicName[]): [title: string, names: PublicName[]][] {
  return [...Map.groupBy(names, ({ kind }) => titles[kind])].toSorted(
    ([a], [b]) => Object.values(titles).indexOf(a) - Object.values(titles).indexOf(b),
  );
}

/** The name in its declaration, which may be exported under another one. */
function declaredName({ name, declaration }: PublicName): string {
  return readStatements("entry.d.ts", declaration)[0]?.name ?? name;
}

type Link = (name: string, text?: string) => string;

/** Links names to their sections: of this page if it has them, otherwise of another one. Other names stay text. */
function linksOf(module: ApiModule, folder: string): Link {
  const pages = [module, ...apiModules.filter((other) => other !== module)];
  return (name) => {
    const found = pages.find((page) => anchorsOf(page).has(name));
    if (found === undefined) return name;
    const page = found === module && folder === "" ? "" : `${folder}${found.page}`;
    return `[${name}](${page}#${anchorsOf(found).get(name)})`;
  };
}

const anchorsOfPages = new Map<ApiModule, ReadonlyMap<string, string>>();

/** The anchors that GitHub makes of the headings of a page. */
function anchorsOf(module: ApiModule): ReadonlyMap<string, string> {
  const known = anchorsOfPages.get(module);
  if (known !== undefined) return known;
  const headings = groupsOf(publicNames(module.source)).flatMap(([title, names]) => [
    title,
    ...names.flatMap(({ name, declaration }) => {
      const methods = methodsOf(readStatements("entry.d.ts", declaration));
      return [name, ...[...methods.keys()].map((method) => `${name}.${method}`)];
    }),
  ]);
  const anchors = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const heading of headings) {
    const slug = heading.toLowerCase().replaceAll(/[^\w-]/g, "");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.set(heading, count === 0 ? slug : `${slug}-${count}`);
  }
  anchorsOfPages.set(module, anchors);
  return anchors;
}

/** The signature, the comment and links to the types. */
function sectionText(code: string, doc: string, link: Link): string {
  return `${[fenced(code), paragraph(doc), typesOf(code, link)].filter((text) => text !== "").join("\n\n")}\n`;
}

function entryText({ name, kind, doc }: PublicName, statements: readonly Statement[], link: Link): string {
  const code = kind === "class" ? classText(statements) : statements.map(blockOf).join("\n");
  const methods = [...methodsOf(statements)].map(([method, overloads]) => {
    const own = overloads.map(({ signature }) => unindented(signature)).join("\n");
    const about = overloads.find((overload) => overload.doc !== "")?.doc ?? "";
    return `#### ${name}.${method}\n\n${sectionText(own, about, link)}`;
  });
  return [`### ${name}\n\n${sectionText(code, doc, link)}`, ...methods].join("\n");
}

/** The methods of the instances of a class by name, each with its overloads. */
function methodsOf(statements: readonly Statement[]): Map<string, Statement[]> {
  const methods = statements
    .flatMap(({ members }) => members)
    .filter(({ node, name }) => node.kind === "method" && name !== undefined && node.static !== true)
    .filter(({ node }) => node.accessibility !== "private");
  return Map.groupBy(methods, ({ name = "" }) => name);
}

/** A class without its methods, which have sections of their own. */
function classText([statement]: readonly Statement[]): string {
  if (statement === undefined) return "";
  const methods = new Set([...methodsOf([statement]).values()].flat());
  const shown = statement.members.filter(
    (member) => !methods.has(member) && member.node.accessibility !== "private" && !member.signature.startsWith("#"),
  );
  const header = /^[^{]*\{/.exec(exported(statement.signature))?.[0] ?? "";
  const body = shown.map(({ text }) => `  ${text}\n`).join("");
  return body === "" ? `${header}}` : `${header}\n${body}}`;
}

/** A declaration; of a long table only the keys. */
function blockOf({ kind, signature }: Statement): string {
  const text = exported(signature);
  return kind === "const" && text.split("\n").length > 40 ? text.replaceAll(/\{\n(?: {4}.*\n)+ {2}\}/g, "{ … }") : text;
}

function exported(signature: string): string {
  return signature.replace(/^export (?:declare )?/, "");
}

/** The text of a member, which is indented except in its first line. */
function unindented(text: string): string {
  return text.replaceAll(/^ {2}/gm, "");
}

function fenced(code: string): string {
  const text = plain(code).replaceAll(/^[ \t]*\*? ?@example[\s\S]*?(?=^\s*\*\/)/gm, "");
  return `\`\`\`ts\n${text}\n\`\`\``;
}

/** A line with the types of a signature, linked to their descriptions. */
function typesOf(code: string, link: Link): string {
  const words = code.replaceAll(/\/\*[\s\S]*?\*\/|"[^"]*"/g, "").match(/\b[A-Z]\w+\b/g) ?? [];
  const [, own] = /^(?:abstract )?(?:class|interface|type) (\w+)/.exec(code) ?? [];
  const linked = [...new Set(words)].filter((word) => word !== own && link(word) !== word);
  return linked.length === 0 ? "" : `Types: ${linked.map((word) => link(word)).join(", ")}`;
}

function paragraph(doc: string): string {
  return plain(doc)
    .replace(/@example\n?/g, "")
    .replaceAll(/^@param (\w+) /gm, "- `$1`: ")
    .replaceAll(
      /^@see docs\/guide\/(\S+)$/gm,
      (_tag, file: string) => `Guide: [${titleOf(file)}](../../guide/${file})`,
    );
}

function titleOf(file: string): string {
  return /^# (.+)$/m.exec(readFileSync(sourceOf(`docs/guide/${file}`), "utf8"))?.[1] ?? file;
}

/** Returns the first sentence on one line. */
function summary(doc: string): string {
  const first = plain(doc.split(/\n\s*\n|\n@/)[0] ?? "").replaceAll("\n", " ");
  return /^.*?[.:](?= [A-Z]|$)/.exec(first)?.[0] ?? first;
}

/** Replaces the links of a comment by the names that they lead to. */
function plain(doc: string): string {
  return doc.replaceAll(/\{@link ([^}]+)\}/g, "`$1`");
}
