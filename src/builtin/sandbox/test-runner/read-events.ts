/** How much of one file of code ran. */
export interface CoveredFile {
  readonly path: string;
  /** How many lines count. */
  readonly lines: number;
  /** The numbers of those that did not run. */
  readonly missed: readonly number[];
}

/** What a driver inside the sandbox tells. */
export type TestEvent =
  | {
      readonly kind: "test";
      readonly status: "passed" | "failed" | "skipped";
      readonly name: string;
      readonly message?: string;
    }
  | { readonly kind: "coverage"; readonly files: readonly CoveredFile[] }
  /** The tests are done; `note` is what went wrong outside of them. */
  | { readonly kind: "end"; readonly note?: string };

/** What stood on a driver's standard output. */
export interface DriverOutput {
  readonly events: readonly TestEvent[];
  /** Everything else. */
  readonly printed: string;
}

/**
 * Tells the events of a driver from what the code under test printed: only the driver knows the mark, and puts it
 * before each line of JSON. An event that was broken off is no event.
 */
export function readEvents(text: string, mark: string): DriverOutput {
  const [first = "", ...marked] = text.split(mark);
  const events: TestEvent[] = [];
  const printed = [first];
  for (const part of marked) {
    const end = part.indexOf("\n");
    if (end === -1) continue;
    printed.push(part.slice(end + 1));
    const event = parse(part.slice(0, end));
    if (isEvent(event)) events.push(event);
  }
  return { events, printed: printed.join("") };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
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
      return Array.isArray(event["files"]) && event["files"].every(isCovered);
    default:
      return event["kind"] === "end" && ["string", "undefined"].includes(typeof event["note"]);
  }
}

function isCovered(value: unknown): value is CoveredFile {
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
