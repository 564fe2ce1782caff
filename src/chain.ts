/**
 * Chains: `windlass/chain`. YAML in, a checked plan, a run that survives anything; logs, explanations, pictures, and a
 * kit for testing chains.
 *
 * @packageDocumentation
 */
export * from "./chain/index.ts";
export {
  type CompiledValue,
  type Condition,
  type Evaluation,
  ExpressionError,
  type ExpressionFault,
  type Missing,
  type Reference,
  type Scope,
  type Select,
  type Template,
  compileCondition,
  compileExpression,
  compileSelect,
  compileTemplate,
  compileValue,
  missing,
} from "./expr/index.ts";
export {
  type JournalEvent,
  type RunJournal,
  type RunOwner,
  type RunQuery,
  type RunStatus,
  type StoredRun,
  createMemoryRuns,
} from "./store/index.ts";
