export { type Condition, compileCondition } from "./compile-condition.ts";
export { type Expression, compileExpression } from "./compile-expression.ts";
export { type Select, compileSelect } from "./compile-select.ts";
export { type Template, compileTemplate } from "./compile-template.ts";
export {
  type CompileValueOptions,
  type CompiledValue,
  type ValueError,
  type ValuePath,
  type ValueReference,
  compileValue,
} from "./compile-value.ts";
export { ExpressionError, type ExpressionFault, expressionFaults, isExpressionError } from "./expression-error.ts";
export type { Evaluation } from "./evaluation-frame.ts";
export { functionArities } from "./function-names.ts";
export { limits as expressionLimits } from "./limits.ts";
export { type Missing, missing } from "./missing.ts";
export { openSecrets } from "./open-secrets.ts";
export { type Reference, anyItem } from "./reference.ts";
export { type RootName, type Scope, rootNames } from "./scope.ts";
export { StepTable } from "./step-table.ts";
export { SecretHandle, isSecretHandle } from "./secret-handle.ts";
