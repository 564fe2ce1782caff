import type { Code } from "./frame.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/** Compiles the expressions of one text. */
export interface Compile {
  readonly text: string;
  /** Where missing is accepted: it is told to the evaluation and handed on. */
  readonly accepting: (node: SyntaxNode) => Code;
  /** Where a value is needed: missing is an error that names the path. */
  readonly needing: (node: SyntaxNode) => Code;
}
