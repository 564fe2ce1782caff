export { type Clock, type Timer, systemClock } from "./clock.ts";
export { makeDataFolder } from "./data-folder.ts";
export { Deadline, Deadlines, type Expiring } from "./deadlines.ts";
export { EventBus, type EventStream, type Listener } from "./event-bus.ts";
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
export { type ReasonFailure, failuresFor } from "./reason-failures.ts";
export { type Ids, createIds } from "./ids.ts";
export { importModule } from "./import-module.ts";
export { type RealPlace, isBelow, realPlace } from "./inside-folder.ts";
export { type Issue, formatPath } from "./issue.ts";
export { nodeCrypto, nodeNet, nodeUtil } from "./node-module.ts";
export { canonicalJson, jsonText, plainJsonSize } from "./json.ts";
export { loadPackage } from "./load-package.ts";
export { type Linked, LinkedList } from "./linked-list.ts";
export { nameGlob } from "./name-glob.ts";
export { Roster } from "./roster.ts";
export { orAborted, unlessAborted } from "./or-aborted.ts";
export { type ProcessIdentity, isGone, isThere, processIdentity, processState } from "./process-identity.ts";
export { WallTime } from "./wall-time.ts";
export { type Usage, cpuTime, usageSince } from "./usage.ts";
