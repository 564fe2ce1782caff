import { ExpressionError, type Span } from "./expression-error.ts";
import type { Reference } from "./reference.ts";
import type { SyntaxNode } from "./syntax-node.ts";

const brand = Symbol.for("windlass.secret_handle");

/** Stands for a secret that only the tool's executor opens; however it is printed, it shows its name alone. */
export class SecretHandle {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  toString(): string {
    return `[secret ${this.name}]`;
  }

  toJSON(): string {
    return this.toString();
  }
}

// On the prototype, so that two copies of Windlass know each other's handles. JSON data has no symbols.
Object.defineProperty(SecretHandle.prototype, brand, { value: true });
Object.defineProperty(SecretHandle.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value(this: SecretHandle): string {
    return this.toString();
  },
});

/** Is this a {@link SecretHandle}, of this or another copy of Windlass? */
export function isSecretHandle(value: unknown): value is SecretHandle {
  return typeof value === "object" && value !== null && brand in value;
}

/** The name of the secret if an expression is `secret.NAME` and nothing else. */
export function secretName(node: SyntaxNode): string | undefined {
  if (node.kind !== "path" || node.base.kind !== "root" || node.base.name !== "secret") return undefined;
  const [only, ...more] = node.segments;
  return only?.kind === "name" && more.length === 0 ? only.name : undefined;
}

/** Throws if an expression touches a secret: what is computed from one would be one, and nobody would know. */
export function refuseSecrets(references: readonly Reference[]): void {
  const used = references.find(({ root }) => root === "secret");
  if (used === undefined) return;
  throw secretMisused({ at: used.at, end: used.at + used.length });
}

/** The error of a secret that is written into a text, or otherwise computed with. */
export function secretMisused({ at, end }: Span): ExpressionError {
  const hint = "pass it on as a whole parameter: ${secret.NAME}";
  return new ExpressionError("secret_misused", "a secret cannot be computed with", { at, end, hint });
}
