export { type Clock, type Timer, systemClock } from "./clock.ts";
export {
  type Failure,
  type FailureArea,
  type FailureCode,
  FailureError,
  type FailureOptions,
  type RetryVerdict,
  fail,
  failure,
  failureKinds,
  isFailureError,
} from "./failure.ts";
export { type Ids, createIds } from "./ids.ts";
export { type Issue, formatPath } from "./issue.ts";
