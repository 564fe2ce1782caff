/** Collects unhandled rejections, until `stop` returns them. */
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
