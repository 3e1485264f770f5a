export { eventLine } from "./event-line.ts";
export { createItemBoard } from "./item-board.ts";
export { createLiveLine, type LiveLine } from "./live-line.ts";
export { runListText, runText } from "./run-text.ts";
export { createScreen, plainCell, plainText, type Screen } from "./screen.ts";
export { styledRunState } from "./states.ts";
export { countsText, partsText } from "./status-line.ts";
export { cutLine, table } from "./table.ts";
