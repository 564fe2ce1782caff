import { UsageError } from "./usage-error.ts";

/** For what comes on stdin and is no text: a model would be paid to read what it can make nothing of. */
export function notText(what = "what comes on stdin"): UsageError {
  return new UsageError(
    `${what} is no text in UTF-8`,
    "ask --image FILE sends a picture with the question",
    "iconv -f latin1 -t utf-8 FILE | windlass ask … sends text of an old encoding",
  );
}
