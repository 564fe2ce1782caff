import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { type Statement, readStatements } from "./read-statements.ts";

/** A name that users can import, with its comment and its declaration. */
export interface PublicName {
  readonly name: string;
  readonly kind: "function" | "class" | "const" | "interface" | "type";
  /** Text of its TSDoc comment; empty if there is none. */
  readonly doc: string;
  /** Its declarations, several for an overloaded function, as the package emits them. */
  readonly declaration: string;
  /** Path of the file that declares it. */
  readonly file: string;
}

const modules = new Map<string, ReadonlyMap<string, PublicName>>();

/** Returns everything that a module exports, resolved to its declaration. */
export function publicNames(entry: string): PublicName[] {
  return [...exportsOf(resolve(entry)).values()].toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

function exportsOf(path: string): ReadonlyMap<string, PublicName> {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const { code } = isolatedDeclarationSync(path, readFileSync(path, "utf8"), { stripInternal: true });
  const found = new Map<string, PublicName>();
  for (const statement of readStatements(path, code)) {
    for (const item of exportedBy(path, statement)) {
      const before = found.get(item.name);
      // Overloads: the first declaration carries the comment.
      found.set(
        item.name,
        before === undefined ? item : { ...before, declaration: `${before.declaration}\n${item.declaration}` },
      );
    }
  }
  modules.set(path, found);
  return found;
}

function exportedBy(path: string, statement: Statement): PublicName[] {
  const { node, name, kind, doc, text } = statement;
  if (!node.type.startsWith("Export")) return [];
  if (node.source !== undefined && node.source !== null) {
    const from = exportsOf(resolve(dirname(path), node.source.value));
    if (node.type === "ExportAllDeclaration") return [...from.values()];
    return (node.specifiers ?? []).map(({ local, exported }) => {
      const item = from.get(local.name);
      if (item === undefined) throw new Error(`${path}: ${node.source?.value} does not export ${local.name}`);
      return { ...item, name: exported.name };
    });
  }
  if (kind === undefined || name === undefined) return [];
  return [{ name, kind, doc, declaration: text, file: path }];
}
