import { expect, test } from "vitest";
import { VtScreen } from "./vt-screen.ts";

function screen(text: string, columns = 10, rows = 5): VtScreen {
  const made = new VtScreen(columns, rows);
  made.write(text);
  return made;
}

test("long lines are wrapped, and still count as one line", () => {
  const made = screen("abcdefghijkl\r\nm");
  expect(made.text).toBe("abcdefghij\nkl\nm");
  expect(made.written).toEqual(["abcdefghijkl", "m"]);
});

test("a line that fills the row wraps with the next character only", () => {
  expect(screen("abcdefghij\r\nk").text).toBe("abcdefghij\nk");
  expect(screen("abcdefghij").cursor).toEqual({ column: 9, row: 0 });
});

test("a wide character that does not fit begins a new row", () => {
  expect(screen("abcdefghi船x").text).toBe("abcdefghi\n船x");
  expect(screen("船长x").cursor.column).toBe(5);
});

test("the cursor moves and erases", () => {
  expect(screen("one\r\ntwo\u001b[1A\r\u001b[2Kx").text).toBe("x\ntwo");
  expect(screen("one\r\ntwo\u001b[1A\u001b[1G\u001b[0J").text).toBe("");
  expect(screen("abc\u001b[2D\u001b[31mX\u001b[0m\u001b[K").text).toBe("aX");
});

test("a sequence may come in pieces, and scrolled lines are retained", () => {
  const made = screen("a\u001b[", 10, 2);
  made.write("1GB\r\nc\r\nd");
  expect(made.text).toBe("c\nd");
  expect(made.all).toBe("B\nc\nd");
});

test("a change of size wraps anew, and takes the cursor along", () => {
  const made = screen("abcdefghijkl\r\nmno");
  made.resize(6, 5);
  expect(made.text).toBe("abcdef\nghijkl\nmno");
  expect(made.cursor).toEqual({ column: 3, row: 2 });
  made.resize(20, 5);
  expect(made.text).toBe("abcdefghijkl\nmno");
  expect(made.cursor).toEqual({ column: 3, row: 1 });
});
