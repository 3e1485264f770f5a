export { onPreview } from "./on-preview.ts";
