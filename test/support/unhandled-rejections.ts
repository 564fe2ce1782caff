/** Collects rejections that nobody handled, until `stop` gives them back. */
export function unhandledRejections(): { stop(): unknown[] } {
  const seen: unknown[] = [];
  const note = (reason: unknown): unknown => seen.push(reason);
  process.on("unhandledRejection", note);
  return {
    stop: () => {
      process.off("unhandledRejection", note);
      return seen;
    },
  };
}
