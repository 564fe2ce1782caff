import type { TaintPolicy } from "../chain/index.ts";

/** `chains:` of a `windlass.yaml`, as its schema guarantees it. */
export interface ChainsFile {
  readonly directory?: string;
  readonly durable?: boolean;
  readonly max_parallel?: number;
  readonly taint?: TaintPolicy;
  readonly trusted_tools?: readonly string[];
}

/** Options of the chains of a workspace. */
export interface ChainsConfig {
  readonly directory: string;
  /** True if runs are durable, unless the chain sets it. */
  readonly durable: boolean;
  readonly maxParallel: number;
  /** No chain is looser than this. */
  readonly taint: TaintPolicy;
  /** Tools whose results are relied on. */
  readonly trustedTools: readonly string[];
}

const text = { type: "string", minLength: 1 };

/** Schema of `chains` in `windlass.yaml`. */
export const chainsSchema: Record<string, unknown> = {
  type: "object",
  additionalProperties: false,
  description: "Loading and running of chains.",
  properties: {
    directory: { ...text, description: "Folder that chains are loaded from. Default: chains." },
    durable: { type: "boolean", description: "Make runs durable, unless the chain sets `durable`. Default: true." },
    max_parallel: {
      type: "integer",
      minimum: 1,
      description: "Maximum concurrent steps of one run, unless the chain sets it. Default: 5.",
    },
    taint: {
      enum: ["show", "strict"],
      description:
        "strict: reject chains in which untrusted content reaches a destructive tool without an approval; " +
        "a chain cannot relax it. Default: show.",
    },
    trusted_tools: {
      type: "array",
      items: text,
      description: "Tools whose results are trusted if their arguments are.",
    },
  },
};

/** Converts `chains:` of the file to options. */
export function toChainsConfig(file: ChainsFile = {}): ChainsConfig {
  return {
    directory: file.directory ?? "chains",
    durable: file.durable ?? true,
    maxParallel: file.max_parallel ?? 5,
    taint: file.taint ?? "show",
    trustedTools: file.trusted_tools ?? [],
  };
}
