import { existsSync, globSync, readFileSync } from "node:fs";
import { parseSync } from "rolldown/utils";

/** The part of a syntax tree node that is used here. */
interface Node {
  readonly type: string;
  readonly declaration?: Node | null;
  readonly declarations?: readonly { readonly id: { readonly name?: string } }[];
  readonly id?: { readonly name: string } | null;
  readonly body?: { readonly body: readonly Node[] };
  readonly key?: { readonly type: string; readonly name?: string };
}

/** A link to code, with the names before it: "`A`, `B.c` in [src/a.ts](src/a.ts)". */
const linkPattern = /((?:`[^`]+`(?:,| and)?\s+)*)(?:in\s+)?\[[^\]]*\]\(([^)#\s]+\.ts)\)/g;

/** The names that a file declares: `name`, `Class.member`, `Class.#member`. */
function declaredNames(file: string): Set<string> {
  const { program } = parseSync(file, readFileSync(file, "utf8"));
  const statements = program.body as unknown as Node[];
  return new Set(statements.flatMap((statement) => namesOf(statement.declaration ?? statement)));
}

function namesOf({ type, id, declarations = [], body }: Node): string[] {
  const names = [id?.name, ...declarations.map((each) => each.id.name)].filter((name) => name !== undefined);
  const members = type === "ClassDeclaration" || type === "TSInterfaceDeclaration" ? (body?.body ?? []) : [];
  const keys = members.flatMap(({ key }) => (key?.name === undefined ? [] : [key]));
  return [...names, ...keys.map((key) => `${id?.name}.${key.type === "PrivateIdentifier" ? "#" : ""}${key.name}`)];
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

/** The links to code in a text that lead nowhere: the file is missing, declares no such name, or no name is stated. */
export function brokenLinks(text: string): string[] {
  return [...text.matchAll(linkPattern)].flatMap(([, before = "", file = ""]) => {
    const names = namesIn(before);
    if (!existsSync(file)) return [`${file} does not exist`];
    if (names.length === 0) return [`${file} is linked without a name`];
    const declared = declaredNames(file);
    return names.filter((name) => !declared.has(name)).map((name) => `${file} does not declare ${name}`);
  });
}

/** Returns a text whose broken links lead to the only other file of src that declares their names, if there is one. */
export function withMovedLinks(text: string): string {
  return text.replaceAll(linkPattern, (link: string, before: string, file: string) => {
    if (brokenLinks(link).length === 0) return link;
    const names = namesIn(before);
    const found = names.length === 0 ? [] : globSync("src/**/*.ts").filter((path) => declaresAll(path, names));
    return found.length === 1 ? link.replaceAll(file, found[0] ?? file) : link;
  });
}

function declaresAll(file: string, names: readonly string[]): boolean {
  if (file.includes(".test")) return false;
  const declared = declaredNames(file);
  return names.every((name) => declared.has(name));
}
