/** Words that name no range, and why; whoever knows the whole text makes a failure of it. */
export class Unclear extends Error {
  override readonly name: string = "Unclear";
}
