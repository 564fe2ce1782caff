import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseSync } from "rolldown/utils";

/** The part of a syntax tree node that is used here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [child: string]: unknown;
}

/** An export or import of a name from another file. */
interface Source {
  readonly file: string;
  /** `*` for all of its exports. */
  readonly name: string;
}

/** A declaration file, by statement. */
interface TypeFile {
  readonly text: string;
  readonly statements: readonly Node[];
  /** The statements that declare a local name. */
  readonly declared: ReadonlyMap<string, readonly Node[]>;
  /** Sources of imported and re-exported names, if they are other files of the package. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Files of which everything is exported. */
  readonly stars: readonly string[];
  /** Names that other files or used statements refer to. */
  readonly used: Set<string>;
}

/**
 * Removes all declarations that the types of the entries do not refer to. The rest then needs only the packages that the
 * public types mention.
 */
export async function shakeTypes(dir: string, entries: readonly string[]): Promise<void> {
  const names = (await readdir(dir, { recursive: true })).filter((name) => name.endsWith(".d.ts"));
  const files = new Map<string, TypeFile>();
  for (const path of names.map((name) => join(dir, name)))
    files.set(path, readTypes(path, await readFile(path, "utf8")));
  for (const entry of entries) useAll(files, join(dir, entry));
  for (const [path, file] of files) {
    if (file.used.size === 0) await rm(path);
    else
      await writeFile(
        path,
        printUsed(file, (statement) => isUnused(files.get(targetOf(path, statement) ?? ""))),
      );
  }
  for (const folder of (await readdir(dir, { recursive: true, withFileTypes: true })).toReversed()) {
    const path = join(folder.parentPath, folder.name);
    if (folder.isDirectory() && (await readdir(path)).length === 0) await rm(path, { recursive: true });
  }
}

function readTypes(path: string, text: string): TypeFile {
  const statements = parseSync(path, text).program.body as unknown as readonly Node[];
  const declared = new Map<string, Node[]>();
  const sources = new Map<string, Source>();
  const stars: string[] = [];
  for (const statement of statements) {
    const file = targetOf(path, statement);
    if (statement.type === "ExportAllDeclaration" && file !== undefined) stars.push(file);
    for (const { local, name, source } of namesIn(statement)) {
      declared.set(local, [...(declared.get(local) ?? []), statement]);
      if (file !== undefined && source) sources.set(local, { file, name });
    }
  }
  return { text, statements, declared, sources, stars, used: new Set() };
}

/** The file that a statement imports from; undefined for packages. */
function targetOf(path: string, statement: Node): string | undefined {
  const source = (statement["source"] as { readonly value: string } | null | undefined)?.value;
  return source?.startsWith(".") === true ? join(dirname(path), source.replace(/\.[jt]s$/, ".d.ts")) : undefined;
}

interface Named {
  readonly local: string;
  /** Its name in the other file. */
  readonly name: string;
  readonly source: boolean;
}

/** The names that a statement brings into the file, or exports from it. */
function namesIn(statement: Node): Named[] {
  const specifiers = (statement["specifiers"] ?? []) as readonly Node[];
  if (specifiers.length > 0) return specifiers.map((specifier) => namedBy(statement, specifier));
  const declaration = (statement["declaration"] ?? statement) as Node;
  const own = [declaration["id"], ...((declaration["declarations"] ?? []) as Node[]).map((one) => one["id"])];
  return own.flatMap((id) => {
    const name = (id as { readonly name?: string } | null | undefined)?.name;
    return name === undefined ? [] : [{ local: name, name, source: false }];
  });
}

function namedBy(statement: Node, specifier: Node): Named {
  const nameOf = (key: string): string => (specifier[key] as { readonly name?: string } | undefined)?.name ?? "*";
  const source = statement["source"] != null;
  if (statement.type === "ImportDeclaration") return { local: nameOf("local"), name: nameOf("imported"), source };
  return { local: nameOf("exported"), name: nameOf("local"), source };
}

/** Marks all exports of a file as used. */
function useAll(files: ReadonlyMap<string, TypeFile>, path: string): void {
  const file = files.get(path);
  if (file === undefined) return;
  for (const statement of file.statements.filter(({ type }) => type.startsWith("Export"))) {
    for (const { local } of namesIn(statement)) use(files, path, local);
  }
  for (const star of file.stars) {
    file.used.add("*");
    useAll(files, star);
  }
}

function use(files: ReadonlyMap<string, TypeFile>, path: string, name: string): void {
  const file = files.get(path);
  if (file === undefined || file.used.has(name)) return;
  const statements = file.declared.get(name);
  if (statements !== undefined || file.stars.length > 0) file.used.add(name);
  if (statements === undefined) {
    for (const star of file.stars) use(files, star, name);
    return;
  }
  const source = file.sources.get(name);
  if (source?.name === "*") useAll(files, source.file);
  else if (source !== undefined) use(files, source.file, source.name);
  else for (const other of statements.flatMap((statement) => namesUsedBy(statement, name))) use(files, path, other);
}

/** The names that a declaration refers to, or the local name behind an exported one. */
function namesUsedBy(statement: Node, name: string): string[] {
  const isList = ((statement["specifiers"] ?? []) as readonly Node[]).length > 0;
  if (isList) return namesIn(statement).flatMap((one) => (one.local === name ? one.name : []));
  return [...identifiersIn(statement)];
}

function identifiersIn(node: Node, found: Set<string> = new Set()): Set<string> {
  if (node.type === "Identifier") found.add(node["name"] as string);
  for (const child of Object.values(node).flat()) {
    if (typeof child === "object" && child !== null && "type" in child) identifiersIn(child as Node, found);
  }
  return found;
}

function isUnused(file: TypeFile | undefined): boolean {
  return file?.used.size === 0;
}

/** The text of a file without what is not used, and without exports of everything in a file that is removed. */
function printUsed({ text, statements, used }: TypeFile, isRemoved: (statement: Node) => boolean): string {
  let printed = "";
  let end = 0;
  for (const statement of statements) {
    const before = text.slice(end, statement.start);
    end = statement.end;
    const specifiers = (statement["specifiers"] ?? []) as readonly Node[];
    // Without `export {}`, a file exports its local declarations too.
    if (statement.type === "ExportAllDeclaration" || text.slice(statement.start, end) === "export {};") {
      if (!isRemoved(statement)) printed += before + text.slice(statement.start, end);
      continue;
    }
    const retained = specifiers.filter((specifier) => used.has(namedBy(statement, specifier).local));
    const isUsed =
      specifiers.length === 0 ? namesIn(statement).some(({ local }) => used.has(local)) : retained.length > 0;
    if (!isUsed) continue;
    printed +=
      before +
      (retained.length === specifiers.length ? text.slice(statement.start, end) : cut(text, statement, retained));
  }
  return `${printed.trimStart()}${text.slice(end)}`;
}

/** An import or export with fewer names. */
function cut(text: string, statement: Node, retained: readonly Node[]): string {
  const [first, last] = [text.indexOf("{", statement.start), text.lastIndexOf("}", statement.end)];
  const names = retained.map(({ start, end }) => text.slice(start, end)).join(", ");
  return `${text.slice(statement.start, first)}{ ${names} }${text.slice(last + 1, statement.end)}`;
}
