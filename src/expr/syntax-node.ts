import type { Span } from "./expression-error.ts";
import type { FunctionName } from "./function-names.ts";
import type { RootName } from "./scope.ts";

/** An operator between two operands. */
export type BinaryOperator =
  | "??"
  | "||"
  | "&&"
  | "=="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "in"
  | "+"
  | "-"
  | "*"
  | "/"
  | "%";

/** One step of a path. */
export type Segment =
  /** `.name` or `["name"]`; only the first knows `size`, `length` and `count`. */
  | (Span & { readonly kind: "name"; readonly name: string; readonly dotted: boolean })
  | (Span & { readonly kind: "index"; readonly index: number })
  | (Span & { readonly kind: "all" })
  | (Span & { readonly kind: "slice"; readonly from: SyntaxNode | undefined; readonly to: SyntaxNode | undefined })
  | (Span & { readonly kind: "computed"; readonly key: SyntaxNode })
  | (Span & { readonly kind: "filter"; readonly test: SyntaxNode });

/** What a path starts from: a root, the item of a filter (`@`), or a value in brackets or of a function. */
export type PathBase =
  | { readonly kind: "root"; readonly name: RootName }
  | { readonly kind: "current" }
  | { readonly kind: "value"; readonly node: SyntaxNode };

/** A path: where it starts, and its steps. */
export type PathNode = Span & {
  readonly kind: "path";
  readonly base: PathBase;
  readonly segments: readonly Segment[];
};

/** A call of one of the functions. */
export type CallNode = Span & {
  readonly kind: "call";
  readonly name: FunctionName;
  readonly args: readonly SyntaxNode[];
};

/** An operator and its two operands. */
export type BinaryNode = Span & {
  readonly kind: "binary";
  readonly operator: BinaryOperator;
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
};

/** An expression, read. */
export type SyntaxNode =
  | (Span & { readonly kind: "literal"; readonly value: string | number | boolean | null })
  | (Span & { readonly kind: "list"; readonly items: readonly SyntaxNode[] })
  | (Span & { readonly kind: "not"; readonly operand: SyntaxNode })
  | (Span & { readonly kind: "negative"; readonly operand: SyntaxNode })
  | (Span & {
      readonly kind: "choice";
      readonly test: SyntaxNode;
      readonly yes: SyntaxNode;
      readonly no: SyntaxNode;
    })
  | BinaryNode
  | CallNode
  | PathNode;
