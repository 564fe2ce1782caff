import { parseSync } from "rolldown/utils";

/** A checked passage of a file, with its offset. */
export interface Passage {
  readonly start: number;
  readonly text: string;
  /** A comment is checked from its first word; a title may begin with any word. */
  readonly kind: "comment" | "message" | "document";
}

/** A declared name, or a value of a union type. */
export interface Name {
  readonly start: number;
  readonly name: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Returns the declared names of a TypeScript file, its comments and its messages; of a test, the titles as messages. */
export function readCode(file: string, source: string): { names: Name[]; passages: Passage[] } {
  const { program, comments } = parseSync(file, source);
  const isTest = file.startsWith("test/") || /\.test(?:-d)?\.ts$/.test(file);
  const reader = new CodeReader(source, isTest);
  reader.visit(program, undefined, "");
  const texts = comments.map(({ start, value }): Passage => ({
    start: start + 2,
    text: commentText(value),
    kind: "comment",
  }));
  return { names: reader.names, passages: [...texts, ...reader.passages] };
}

/** Returns the text of a comment on one line, without stars, code and links; offsets are unchanged. */
function commentText(value: string): string {
  return value
    .replaceAll(/\n\s*\*/g, (part) => " ".repeat(part.length))
    .replace(/^\*/, " ")
    .replaceAll("\n", " ")
    .replaceAll(/```[\s\S]*?```|`[^`]*`|\{@link [^}]*\}/g, (part) => " ".repeat(part.length));
}

/** The property of a node that holds the name that it declares. */
const nameProperties: Readonly<Record<string, string>> = {
  FunctionDeclaration: "id",
  FunctionExpression: "id",
  TSDeclareFunction: "id",
  ClassDeclaration: "id",
  ClassExpression: "id",
  TSInterfaceDeclaration: "id",
  TSTypeAliasDeclaration: "id",
  TSEnumDeclaration: "id",
  TSEnumMember: "id",
  TSModuleDeclaration: "id",
  VariableDeclarator: "id",
  TSTypeParameter: "name",
  TSMappedType: "key",
  TSNamedTupleMember: "label",
  CatchClause: "param",
};
const members = new Set([
  "Property",
  "TSPropertySignature",
  "TSMethodSignature",
  "PropertyDefinition",
  "MethodDefinition",
  "AccessorProperty",
  "TSAbstractPropertyDefinition",
  "TSAbstractMethodDefinition",
]);
const functions = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "TSDeclareFunction",
  "TSEmptyBodyFunctionExpression",
  "TSFunctionType",
  "TSMethodSignature",
  "TSCallSignatureDeclaration",
  "TSConstructSignatureDeclaration",
  "TSConstructorType",
  "TSIndexSignature",
]);

/** Collects declared names, and the texts in strings. */
class CodeReader {
  readonly names: Name[] = [];
  readonly passages: Passage[] = [];
  readonly #source: string;
  readonly #isTest: boolean;

  constructor(source: string, isTest: boolean) {
    this.#source = source;
    this.#isTest = isTest;
  }

  visit(node: unknown, parent: Node | undefined, key: string): void {
    if (Array.isArray(node)) {
      for (const item of node) this.visit(item, parent, key);
      return;
    }
    if (!isNode(node)) return;
    this.#declare(node, parent);
    this.#read(node, parent, key);
    for (const [name, child] of Object.entries(node)) if (typeof child === "object") this.visit(child, node, name);
  }

  #declare(node: Node, parent: Node | undefined): void {
    const property = nameProperties[node.type];
    if (property !== undefined) this.#bind(node[property]);
    if (members.has(node.type) && parent !== undefined) this.#declareMember(node, parent);
    if (functions.has(node.type)) for (const parameter of parametersOf(node)) this.#bind(parameter);
    // Without an alias, the name is declared elsewhere.
    if (/^Import(?:Default|Namespace)?Specifier$/.test(node.type)) this.#bindAlias(node["local"], node["imported"]);
    if (node.type === "ExportSpecifier") this.#bindAlias(node["exported"], node["local"]);
    if (node.type === "ExportAllDeclaration") this.#bind(node["exported"]);
  }

  #declareMember(node: Node, parent: Node): void {
    // The keys of a pattern, and the variables of shorthand properties, are declared elsewhere.
    if (node["computed"] === true || node["shorthand"] === true || parent.type === "ObjectPattern") return;
    if (isPermissionList(node, parent)) return;
    const { key } = node;
    if (isNode(key) && key.type === "Literal" && /^[\w$-]+$/.test(String(key["value"])))
      this.names.push({ start: key.start, name: String(key["value"]) });
    else this.#bind(key);
  }

  #bindAlias(alias: unknown, original: unknown): void {
    if (isNode(alias) && (!isNode(original) || alias["name"] !== original["name"])) this.#bind(alias);
  }

  /** Collects the names in a binding pattern. */
  #bind(pattern: unknown): void {
    if (!isNode(pattern)) return;
    switch (pattern.type) {
      case "Identifier":
      case "PrivateIdentifier":
        this.names.push({ start: pattern.start, name: String(pattern["name"]) });
        return;
      case "ObjectPattern":
        for (const property of listOf(pattern["properties"]))
          if (!isPermissionList(property, pattern)) this.#bind(property["value"] ?? property["argument"]);
        return;
      case "ArrayPattern":
        for (const item of listOf(pattern["elements"])) this.#bind(item);
        return;
      default:
        this.#bind(pattern["left"] ?? pattern["argument"] ?? pattern["parameter"]);
    }
  }

  #read(node: Node, parent: Node | undefined, key: string): void {
    const text = this.#textOf(node);
    // A key is a name, a source is the name of a module.
    if (text === undefined || key === "source" || (key === "key" && !text.includes(" "))) return;
    if (parent?.type === "TSLiteralType" && /^["'][\w-]+["']$/.test(text)) {
      this.names.push({ start: node.start, name: text.slice(1, -1) });
      return;
    }
    if (this.#isTest && !isTitle(parent, key)) return;
    this.passages.push({ start: node.start, text, kind: "message" });
  }

  /** The text of a string or of a whole template, with words of X for its expressions, so that offsets are unchanged. */
  #textOf(node: Node): string | undefined {
    const text = this.#source.slice(node.start, node.end);
    if (node.type === "Literal") return typeof node["value"] === "string" ? text : undefined;
    if (node.type !== "TemplateLiteral" && node.type !== "TSTemplateLiteralType") return undefined;
    const blanked = listOf(node["expressions"] ?? node["types"]).map(({ start, end }) => [start, end] as const);
    return blanked
      .reduce((rest, [start, end]) => {
        const [from, to] = [start - node.start, end - node.start];
        return rest.slice(0, from) + "X".repeat(to - from) + rest.slice(to);
      }, text)
      .replaceAll(/\$\{(\s*X+\s*)\}/g, "  $1 ");
  }
}

/** True for the list `ask` of permission rules, which stands beside `deny` and `allow` or holds patterns. */
function isPermissionList({ key, value }: Node, parent: Node): boolean {
  if (nameOf(key) !== "ask") return false;
  const siblings = listOf(parent["properties"] ?? parent["members"] ?? parent["body"]);
  const hasOther = siblings.some((member) => nameOf(member["key"]) === "deny" || nameOf(member["key"]) === "allow");
  return hasOther || (isNode(value) && value.type === "ArrayExpression");
}

function nameOf(key: unknown): unknown {
  return isNode(key) ? (key["name"] ?? key["value"]) : undefined;
}

/** True for a string argument of `test`, `describe` and their variants. */
function isTitle(parent: Node | undefined, key: string): boolean {
  if (parent?.type !== "CallExpression" || key !== "arguments") return false;
  let callee = parent["callee"];
  while (isNode(callee)) {
    if (callee.type === "Identifier") return ["test", "describe", "it"].includes(String(callee["name"]));
    callee = callee["callee"] ?? callee["object"] ?? callee["tag"];
  }
  return false;
}

function parametersOf(node: Node): readonly unknown[] {
  const params = node["params"] ?? node["parameters"];
  return Array.isArray(params) ? params : isNode(params) ? listOf(params["items"]) : [];
}

function listOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
