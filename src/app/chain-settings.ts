import { type ChainTargets, type TaintPolicy, defaultChainTargets } from "../chain/index.ts";

/** `chains:` of a `windlass.yaml`, as its schema guarantees it. */
export interface ChainsFile {
  readonly directory?: string;
  readonly durable?: boolean;
  readonly max_parallel?: number;
  readonly taint?: TaintPolicy;
  readonly trusted_tools?: readonly string[];
  readonly targets?: {
    readonly duration?: number;
    readonly parallel_speedup?: number;
    readonly recovery_rate?: number;
    readonly cpu_utilisation?: number;
    readonly memory_utilisation?: number;
  };
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
  /** Targets that `windlass stats --chains` compares the metrics of runs with. */
  readonly targets: ChainTargets;
}

const text = { type: "string", minLength: 1 };
const positive = { type: "number", exclusiveMinimum: 0 };
/** Below 1: a share is never more than 1, so that nothing would reach such a target. */
const share = { type: "number", minimum: 0, exclusiveMaximum: 1 };

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
    targets: {
      type: "object",
      additionalProperties: false,
      description: "Targets that `windlass stats --chains` compares the metrics of runs with.",
      properties: {
        duration: { ...positive, description: "Seconds that 95 % of the runs stay below. Default: 30." },
        parallel_speedup: {
          ...positive,
          description: "Average speed-up above which parallel runs meet the target. Default: 2.",
        },
        recovery_rate: {
          ...share,
          description: "Share of failed steps that recover, above which runs meet the target. Default: 0.8.",
        },
        cpu_utilisation: {
          ...positive,
          description: "Average processor use above which runs meet the target; 1 is one core. Default: 0.6.",
        },
        memory_utilisation: {
          ...share,
          description: "Average share of the memory above which runs meet the target. Default: 0.6.",
        },
      },
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
    targets: toTargets(file.targets),
  };
}

function toTargets(file: ChainsFile["targets"]): ChainTargets {
  const { duration, parallel_speedup, recovery_rate, cpu_utilisation, memory_utilisation } = file ?? {};
  return {
    durationMs: duration === undefined ? defaultChainTargets.durationMs : duration * 1000,
    parallelSpeedup: parallel_speedup ?? defaultChainTargets.parallelSpeedup,
    recoveryRate: recovery_rate ?? defaultChainTargets.recoveryRate,
    cpuUtilisation: cpu_utilisation ?? defaultChainTargets.cpuUtilisation,
    memoryUtilisation: memory_utilisation ?? defaultChainTargets.memoryUtilisation,
  };
}
