import { ERROR_SHAPES } from "../../../../scripts/conformance/transport/errors.ts";

/** Frames that are an error in every family. */
export const ANY_ERRORS = ERROR_SHAPES.map(({ frame }) => frame);
