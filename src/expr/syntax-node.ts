import type { SourceSpan } from "./expression-error.ts";
import type { FunctionName } from "./function-names.ts";
import type { RootName } from "./scope.ts";

/** Operators between two operands, by binding power: those of one row group from the left. */
export const operatorRows = [
  ["??"],
  ["||"],
  ["&&"],
  ["==", "!="],
  ["<", "<=", ">", ">=", "in"],
  ["+", "-"],
  ["*", "/", "%"],
] as const;

/** An operator between two operands. */
export type BinaryOperator = (typeof operatorRows)[number][number];

/** One step of a path. */
export type Segment =
  /** `.name` or `["name"]`; only the first supports `size`, `length` and `count`. */
  | (SourceSpan & { readonly kind: "name"; readonly name: string; readonly dotted: boolean })
  | (SourceSpan & { readonly kind: "index"; readonly index: number })
  | (SourceSpan & { readonly kind: "all" })
  | (SourceSpan & {
      readonly kind: "slice";
      readonly from: SyntaxNode | undefined;
      readonly to: SyntaxNode | undefined;
    })
  | (SourceSpan & { readonly kind: "computed"; readonly key: SyntaxNode })
  | (SourceSpan & { readonly kind: "filter"; readonly test: SyntaxNode });

/** The start of a path: a root, the item of a filter (`@`), or a value in brackets or of a function. */
export type PathBase =
  | { readonly kind: "root"; readonly name: RootName }
  | { readonly kind: "current" }
  | { readonly kind: "value"; readonly node: SyntaxNode };

/** A path: its start and its steps. */
export type PathNode = SourceSpan & {
  readonly kind: "path";
  readonly base: PathBase;
  readonly segments: readonly Segment[];
};

/** A call of one of the functions. */
export type CallNode = SourceSpan & {
  readonly kind: "call";
  readonly name: FunctionName;
  readonly args: readonly SyntaxNode[];
};

/** An operator and its two operands. */
export type BinaryNode = SourceSpan & {
  readonly kind: "binary";
  readonly operator: BinaryOperator;
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
};

/** A parsed expression. */
export type SyntaxNode =
  | (SourceSpan & { readonly kind: "literal"; readonly value: string | number | boolean | null })
  | (SourceSpan & { readonly kind: "list"; readonly items: readonly SyntaxNode[] })
  | (SourceSpan & { readonly kind: "not"; readonly operand: SyntaxNode })
  | (SourceSpan & { readonly kind: "negative"; readonly operand: SyntaxNode })
  | (SourceSpan & {
      readonly kind: "choice";
      readonly test: SyntaxNode;
      readonly yes: SyntaxNode;
      readonly no: SyntaxNode;
    })
  | BinaryNode
  | CallNode
  | PathNode;
