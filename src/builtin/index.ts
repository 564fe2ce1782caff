export { type BuiltinChain, builtinChains } from "./builtin-chains.ts";
export { type BuiltinServices, builtinTools } from "./builtin-tools.ts";
export { calculate } from "./calculator/calculate.ts";
export { calculatorReasons } from "./calculator/fault.ts";
export { type CalculatorInput, type CalculatorOutput, calculatorTool } from "./calculator-tool.ts";
export { type Echo, echoTool } from "./echo-tool.ts";
export { type HttpRequestOutput, httpRequestTool } from "./http-request-tool.ts";
export type { HttpRequestInput } from "./http-request/request-parts.ts";
