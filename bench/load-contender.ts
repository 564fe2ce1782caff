/** Creates a contender from its file in `contenders/`, with the arguments of its `create()`. */
export async function loadContender<C>(file: string, ...reported: readonly unknown[]): Promise<C> {
  const module = (await import(`./contenders/${file}.ts`)) as {
    create(...reported: readonly unknown[]): C | Promise<C>;
  };
  return module.create(...reported);
}
