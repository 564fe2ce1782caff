import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** A name that users can import, with its comment. */
export interface PublicName {
  readonly name: string;
  readonly kind: "function" | "class" | "const" | "interface" | "type";
  /** Text of its TSDoc comment; empty if there is none. */
  readonly doc: string;
  /** Fields and methods of an interface that have a comment. */
  readonly members: readonly Member[];
  /** Path of the file that declares it. */
  readonly file: string;
}

/** A field or method of an interface, with its comment. */
export interface Member {
  readonly name: string;
  readonly doc: string;
}

const declaration =
  /(?:(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*(?:\/\/[^\n]*\n\s*)*)?^export (?:async |abstract )?(function|class|const|interface|type)\*? (\w+)/gm;
const member = /^ {2}(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\n {2}(?:readonly )?(\w+)(?=[?:(<])/gm;
const list = /^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm;
const everything = /^export \* from "([^"]+)"/gm;

/** Returns everything that a module exports, resolved to its declaration. Parses text, because our exports have few forms. */
export function publicNames(entry: string): PublicName[] {
  return [...exportsOf(resolve(entry)).values()].toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

function exportsOf(path: string): Map<string, PublicName> {
  const text = readFileSync(path, "utf8");
  return new Map([...declared(text, path), ...reexported(text, path)]);
}

function declared(text: string, path: string): Map<string, PublicName> {
  const found = new Map<string, PublicName>();
  for (const { 0: all, 1: doc = "", 2: kind = "type", 3: name = "", index } of text.matchAll(declaration)) {
    // Overloads and merged types: the first declaration carries the comment.
    if (found.has(name)) continue;
    const members = kind === "interface" ? membersOf(text.slice(index + all.length)) : [];
    found.set(name, { name, kind: kind as PublicName["kind"], doc: words(doc), members, file: path });
  }
  return found;
}

/** Returns the members of the interface whose body begins here. */
function membersOf(text: string): Member[] {
  const body = text.slice(0, text.search(/^\}/m));
  return [...body.matchAll(member)].map(([, doc = "", name = ""]) => ({ name, doc: words(doc) }));
}

function reexported(text: string, path: string): Map<string, PublicName> {
  const found = new Map<string, PublicName>();
  for (const [, specifier = ""] of text.matchAll(everything)) {
    for (const [name, item] of exportsOf(resolve(dirname(path), specifier))) found.set(name, item);
  }
  for (const [, names = "", specifier = ""] of text.matchAll(list)) {
    const from = exportsOf(resolve(dirname(path), specifier));
    for (const name of names.split(",").map((part) => part.trim().replace(/^type /, ""))) {
      if (name === "") continue;
      const [inner = name, outer = name] = name.split(" as ");
      const item = from.get(inner);
      if (item === undefined) throw new Error(`${path} exports ${inner}, which was not found in ${specifier}`);
      found.set(outer, { ...item, name: outer });
    }
  }
  return found;
}

function words(comment: string): string {
  return comment
    .replace(/^\/\*\*\s*/, "")
    .replace(/\s*\*\/$/, "")
    .replaceAll(/^\s*\* ?/gm, "")
    .trim();
}
