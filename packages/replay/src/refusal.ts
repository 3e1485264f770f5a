/** Why the gateway says no: status and OpenAI's `error.type` per `error.code`. How it is put is each family's own. */
export const REFUSALS = {
  fixture_invalid: { status: 500, type: "replay_error" },
  invalid_api_key: { status: 401, type: "comet_api_error" },
  invalid_request: { status: 400, type: "comet_api_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  model_not_found: { status: 404, type: "invalid_request_error" },
  request_too_large: { status: 413, type: "invalid_request_error" },
  unknown_url: { status: 404, type: "invalid_request_error" },
} as const satisfies Record<string, { readonly status: number; readonly type: string }>;

export type RefusalCode = keyof typeof REFUSALS;

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /** The request's field in OpenAI's notation, such as `input[2].call_id`; empty where no field is to blame. */
  readonly param: string;
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

export function accept<T>(value: T): Checked<T> {
  return { ok: true, value };
}

export function refuse(code: RefusalCode, message: string, param = ""): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { code, message, param } };
}

/** Runs checks in order up to the first that refuses; null where none does. */
export function firstRefusal(...checks: readonly (() => Checked<null>)[]): Checked<never> | null {
  for (const check of checks) {
    const checked = check();
    if (!checked.ok) return checked;
  }
  return null;
}

export interface ErrorFields {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly param: string;
  readonly code: string;
}

export function errorFields(refusal: Refusal): ErrorFields {
  return { ...refusal, ...REFUSALS[refusal.code] };
}
