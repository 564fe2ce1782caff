/**
 * The built-in tools and the services behind them: `windlass/tools`.
 *
 * @packageDocumentation
 */
export {
  type BuiltinServices,
  type CalculatorInput,
  type CalculatorOutput,
  type Echo,
  type HttpRequestInput,
  type HttpRequestOutput,
  builtinTools,
  calculate,
  calculatorTool,
  echoTool,
  httpRequestTool,
} from "./builtin/index.ts";
export {
  type Dial,
  type Door,
  type DoorOptions,
  type HttpRequest,
  type HttpResponse,
  type Resolve,
  createDoor,
} from "./net/index.ts";
