/** Makes a contender of the file in `contenders/`, told what to do. */
export async function loadContender<C>(file: string, ...told: readonly unknown[]): Promise<C> {
  const module = (await import(`./contenders/${file}.ts`)) as {
    create(...told: readonly unknown[]): C | Promise<C>;
  };
  return module.create(...told);
}
