import { ExpressionError, type SourceSpan } from "./expression-error.ts";
import type { Reference } from "./reference.ts";
import type { SyntaxNode } from "./syntax-node.ts";

const brand = Symbol.for("windlass.secret_handle");

/** Represents a secret that only the tool's executor resolves; any printed form shows only its name. */
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

// On the prototype, so that two copies of Windlass recognize each other's handles. JSON data has no symbols.
Object.defineProperty(SecretHandle.prototype, brand, { value: true });
Object.defineProperty(SecretHandle.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value(this: SecretHandle): string {
    return this.toString();
  },
});

/** True if this is a {@link SecretHandle}, of this or another copy of Windlass. */
export function isSecretHandle(value: unknown): value is SecretHandle {
  return typeof value === "object" && value !== null && brand in value;
}

/** The name of the secret if an expression is `secret.NAME` and nothing else. */
export function secretName(node: SyntaxNode): string | undefined {
  if (node.kind !== "path" || node.base.kind !== "root" || node.base.name !== "secret") return undefined;
  const [only, ...more] = node.segments;
  return only?.kind === "name" && more.length === 0 ? only.name : undefined;
}

/**
 * Throws if an expression uses a secret: a value computed from it would be secret too, without being marked as such.
 */
export function refuseSecrets(references: readonly Reference[]): void {
  const used = references.find(({ root }) => root === "secret");
  if (used === undefined) return;
  throw secretMisused({ at: used.at, end: used.at + used.length });
}

/** The error for a secret that is interpolated into a text, or otherwise computed with. */
export function secretMisused({ at, end }: SourceSpan): ExpressionError {
  const hint = "pass it on as a whole parameter: ${secret.NAME}";
  return new ExpressionError("secret_misused", "a secret cannot be computed with", { at, end, hint });
}
