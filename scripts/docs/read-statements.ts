import { parseSync } from "rolldown/utils";

/** The part of a syntax tree node of a declaration file that is used here. */
export interface DeclarationNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly declaration?: DeclarationNode | null;
  readonly declarations?: readonly { readonly id: { readonly name: string } }[];
  readonly id?: { readonly name: string } | null;
  readonly body?: { readonly start: number; readonly body: readonly DeclarationNode[] };
  readonly key?: { readonly type: string; readonly name?: string };
  readonly kind?: string;
  readonly static?: boolean;
  readonly accessibility?: string | null;
  readonly source?: { readonly value: string } | null;
  readonly specifiers?: readonly {
    readonly local: { readonly name: string };
    readonly exported: { readonly name: string };
  }[];
}

/** A statement of a declaration file, or a member of one of its classes. */
export interface Statement {
  readonly node: DeclarationNode;
  readonly name: string | undefined;
  readonly kind: "function" | "class" | "const" | "interface" | "type" | undefined;
  /** Text of its TSDoc comment; empty if there is none. */
  readonly doc: string;
  /** Its text with its comment. */
  readonly text: string;
  /** Its text without its comment. */
  readonly signature: string;
  /** The members of a class. */
  readonly members: readonly Statement[];
}

const kinds: Readonly<Record<string, Statement["kind"]>> = {
  FunctionDeclaration: "function",
  TSDeclareFunction: "function",
  ClassDeclaration: "class",
  VariableDeclaration: "const",
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "type",
};

/** Reads the statements of a declaration file, each with its comment. */
export function readStatements(path: string, code: string): Statement[] {
  const { program, comments, errors } = parseSync(path.replace(/(?:\.d)?\.ts$/, ".d.ts"), code);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
  const read = (node: DeclarationNode): Statement => {
    const comment = docs.findLast(({ end }) => end <= node.start && code.slice(end, node.start).trim() === "");
    const inner = node.declaration ?? node;
    const kind = kinds[inner.type];
    return {
      node,
      name: nameOf(inner),
      kind,
      doc: textOf(comment?.value ?? ""),
      text: code.slice(comment?.start ?? node.start, node.end),
      signature: code.slice(node.start, node.end),
      members: kind === "class" ? (inner.body?.body ?? []).map(read) : [],
    };
  };
  return (program.body as unknown as DeclarationNode[]).map(read);
}

function nameOf({ id, declarations, key }: DeclarationNode): string | undefined {
  return id?.name ?? declarations?.[0]?.id.name ?? (key?.type === "Identifier" ? key.name : undefined);
}

function textOf(comment: string): string {
  return comment
    .replace(/^\*/, "")
    .replaceAll(/^[ \t]*\*(?: |$)/gm, "")
    .trim();
}
