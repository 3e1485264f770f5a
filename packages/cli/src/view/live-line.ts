import type { Screen } from "./screen.ts";
import { cutLine } from "./table.ts";

/** News above, and on a terminal one last line that is written over. */
export interface LiveLine {
  /** A line that stays. */
  news(text: string | null): void;
  /** The last line of a terminal; elsewhere it isn't shown. */
  status(text: string): void;
}

export function createLiveLine(out: Screen): LiveLine {
  let shown = "";
  const redraw = (above: string | null): void => {
    if (out.terminal) out.write("\r\u001b[2K");
    if (above !== null) out.print(above);
    if (out.terminal) out.write(shown);
  };
  return {
    news: (text) => {
      if (text !== null) redraw(text);
    },
    status: (text) => {
      shown = cutLine(text, out.columns() - 1);
      if (out.terminal) redraw(null);
    },
  };
}
