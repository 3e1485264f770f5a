export { checkAuthorization, checkBodyHeaders } from "./headers.ts";
export type { InputItem } from "./items.ts";
export { parseResponsesRequest, type ResponsesRequest } from "./responses-request.ts";
