import { parseJson } from "../../../base/index.ts";
/** Line coverage of one file. */
export interface CoveredFile {
  readonly path: string;
  /** Number of executable lines. */
  readonly lines: number;
  /** Numbers of the lines that did not run. */
  readonly missed: readonly number[];
}

/** Events of a driver inside the sandbox. */
export type TestEvent =
  | {
      readonly kind: "test";
      readonly status: "passed" | "failed" | "skipped";
      readonly name: string;
      readonly message?: string;
    }
  | { readonly kind: "coverage"; readonly files: readonly CoveredFile[] }
  /** The tests are done; `note` has errors outside of them. */
  | { readonly kind: "end"; readonly note?: string };

/** Parsed standard output of a driver. */
export interface DriverOutput {
  readonly events: readonly TestEvent[];
  /** Everything else. */
  readonly printed: string;
}

/**
 * Separates the events of a driver from the output of the code under test: only the driver knows the mark, which it
 * puts before each line of JSON. An incomplete event is ignored.
 */
export function readEvents(text: string, mark: string): DriverOutput {
  const [first = "", ...marked] = text.split(mark);
  const events: TestEvent[] = [];
  const printed = [first];
  for (const part of marked) {
    const end = part.indexOf("\n");
    if (end === -1) continue;
    printed.push(part.slice(end + 1));
    const event = parseJson(part.slice(0, end));
    if (isEvent(event)) events.push(event);
  }
  return { events, printed: printed.join("") };
}

function isEvent(value: unknown): value is TestEvent {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  const event: Readonly<Record<string, unknown>> = { ...value };
  switch (event["kind"]) {
    case "test":
      return (
        ["passed", "failed", "skipped"].includes(String(event["status"])) &&
        typeof event["name"] === "string" &&
        ["string", "undefined"].includes(typeof event["message"])
      );
    case "coverage":
      return Array.isArray(event["files"]) && event["files"].every(isCoverage);
    default:
      return event["kind"] === "end" && ["string", "undefined"].includes(typeof event["note"]);
  }
}

function isCoverage(value: unknown): value is CoveredFile {
  if (typeof value !== "object" || value === null) return false;
  const file: Readonly<Record<string, unknown>> = { ...value };
  const missed: unknown = file["missed"];
  return (
    typeof file["path"] === "string" &&
    Number.isSafeInteger(file["lines"]) &&
    Array.isArray(missed) &&
    missed.every((line) => typeof line === "number")
  );
}
