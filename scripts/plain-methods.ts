import type { Plugin } from "rolldown";
import { parseSync } from "rolldown/utils";

/** A node of a syntax tree, as far as it is looked at here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [child: string]: unknown;
}

/**
 * Makes ordinary methods of the private ones of our classes. For a private method the engine looks for a mark in the
 * object whenever it is called, and writes that mark into every object that is made: in a step of a chain, which is
 * some sixty small methods, a twelfth of its time. TypeScript has made sure by now that nobody else calls them, and
 * each class gets names of its own, so that no subclass has one of them by chance.
 */
export const plainMethods: Plugin = {
  name: "plain-methods",
  transform: {
    filter: { id: /\/src\/[^\0]*\.ts$/, code: /#/ },
    handler: (code, id) => rename(code, privateMethods(parseSync(id, code).program as unknown as Node)),
  },
};

interface Renamed {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

let classes = 0;

/** Every mention of a private method, in the order of the text. */
function privateMethods(root: Node): Renamed[] {
  const found: Renamed[] = [];
  const visit = (node: Node, known: ReadonlyMap<string, string>): void => {
    const names = node.type === "ClassBody" ? namesIn(node, known) : known;
    const name = node.type === "PrivateIdentifier" ? names.get(node["name"] as string) : undefined;
    if (name !== undefined) found.push({ start: node.start, end: node.end, name });
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, names);
  };
  visit(root, new Map());
  return found.toSorted((a, b) => a.start - b.start);
}

/** The new names of the private methods inside of a class; its own fields hide methods of a class around it. */
function namesIn(body: Node, around: ReadonlyMap<string, string>): Map<string, string> {
  const names = new Map(around);
  const suffix = (++classes).toString(36);
  for (const { type, key } of body["body"] as (Node & { readonly key?: Node })[]) {
    if (key?.type !== "PrivateIdentifier") continue;
    const name = key["name"] as string;
    if (type === "MethodDefinition") names.set(name, `_${name}_${suffix}`);
    else names.delete(name);
  }
  return names;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

function rename(code: string, renamed: readonly Renamed[]): string {
  let result = "";
  let from = 0;
  for (const { start, end, name } of renamed) {
    result += code.slice(from, start) + name;
    from = end;
  }
  return result + code.slice(from);
}
