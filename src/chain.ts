/**
 * Chains: `windlass/chain`. YAML in, a checked plan, a run that survives anything; logs, explanations, pictures, and a
 * kit for testing chains.
 *
 * @packageDocumentation
 */
export * from "./chain/index.ts";
export {
  type CompileValueOptions,
  type CompiledValue,
  type Condition,
  type Evaluation,
  type Expression,
  ExpressionError,
  type ExpressionFault,
  type Missing,
  type Reference,
  type RootName,
  type Scope,
  type Select,
  type Template,
  type ValueError,
  type ValuePath,
  compileCondition,
  compileExpression,
  compileSelect,
  compileTemplate,
  compileValue,
  missing,
} from "./expr/index.ts";
export {
  type JournalEvent,
  type MemoryRunsOptions,
  type RunJournal,
  type RunOwner,
  type RunQuery,
  type RunStatus,
  type StoredRun,
  createMemoryRuns,
} from "./store/index.ts";
