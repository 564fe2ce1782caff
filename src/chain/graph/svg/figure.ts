/** Something that stands in a picture: how much room it takes around its axis, and how it is drawn. */
export interface Figure {
  readonly left: number;
  readonly right: number;
  readonly height: number;
  /** How far below its upper edge lines leave. */
  readonly foot: number;
  /** XML of the figure with its axis at `x` and its upper edge at `y`. */
  draw(x: number, y: number): string;
}
