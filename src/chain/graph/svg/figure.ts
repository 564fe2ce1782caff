/** A figure of the picture: its size around its axis, and its drawing. */
export interface Figure {
  readonly left: number;
  readonly right: number;
  readonly height: number;
  /** Distance below its upper edge at which lines leave. */
  readonly foot: number;
  /** XML of the figure with its axis at `x` and its upper edge at `y`. */
  draw(x: number, y: number): string;
}
