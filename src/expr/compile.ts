import type { Code } from "./evaluation-frame.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/** Compiles the expressions of one text. */
export interface Compile {
  readonly text: string;
  /** For positions that accept missing values: a missing value is reported to the evaluation and returned. */
  readonly accepting: (node: SyntaxNode) => Code;
  /** For positions that need a value: a missing value is an error that names the path. */
  readonly needing: (node: SyntaxNode) => Code;
}
