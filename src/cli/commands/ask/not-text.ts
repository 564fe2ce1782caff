import { cliCommand } from "../../../base/index.ts";
import { UsageError } from "../../program/usage-error.ts";

/** The error for input on stdin that is not text: a model could not read it, but its tokens would be charged. */
export function notTextFailure(source = "the input on stdin"): UsageError {
  return new UsageError(
    `${source} is not valid UTF-8 text`,
    "to send an image with the prompt, use ask --image FILE",
    `to convert another encoding: iconv -f latin1 -t utf-8 FILE | ${cliCommand("ask")} …`,
  );
}
