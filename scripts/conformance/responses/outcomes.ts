import { aside, body, refuses, sse, stops, truncates } from "../case.ts";
import type { ConformanceCase, Expectation } from "../case.ts";
import * as r from "./frames.ts";

interface Ending {
  readonly name: string;
  readonly title: string;
  readonly status: "completed" | "failed" | "incomplete";
  readonly fields: object;
  /** What the response holds; by default a whole call. */
  readonly output?: readonly object[];
  readonly expect: Expectation;
}

function failed(code: string | null, expect: Expectation, title: string): Ending {
  const name = code === null ? "failed-without-error" : `failed-${code.replaceAll("_", "-")}`;
  const fields = code === null ? {} : { error: { code, message: "over" } };
  return { name, title, status: "failed", fields, expect };
}

function incomplete(name: string, reason: string | null, expect: Expectation, title: string): Ending {
  const fields = reason === null ? {} : { incomplete_details: { reason } };
  return { name, title, status: "incomplete", fields, expect };
}

const FAILED = refuses("PROVIDER_ERROR", "failed", r.ASIDE_A);
const POLICY = stops("failed", r.ASIDE_A);

const ENDINGS: readonly Ending[] = [
  {
    name: "refusal",
    title: "A refusal in words and nothing else is a policy stop",
    status: "completed",
    fields: {},
    output: [r.message("", { content: [{ type: "refusal", refusal: "no" }] })],
    expect: stops("completed", aside(r.MESSAGE)),
  },
  incomplete(
    "max-output-tokens",
    "max_output_tokens",
    truncates("incomplete:max_output_tokens", r.ASIDE_A),
    "A spent budget truncates, and the whole call before it does not run",
  ),
  incomplete(
    "content-filter",
    "content_filter",
    stops("incomplete:content_filter", r.ASIDE_A),
    "A content filter is a policy stop, and nothing runs",
  ),
  incomplete(
    "incomplete-without-reason",
    null,
    refuses("SIGNAL_UNSPECIFIED", "incomplete", r.ASIDE_A),
    "An incomplete response that does not say why is indeterminate",
  ),
  incomplete(
    "incomplete-future-reason",
    "solar_flare",
    refuses("SIGNAL_UNKNOWN", "incomplete:solar_flare", r.ASIDE_A),
    "A future reason for being incomplete is indeterminate",
  ),
  failed("server_error", FAILED, "A failed response is indeterminate, whatever came before"),
  failed("rate_limit_exceeded", FAILED, "So is one that failed by a limit"),
  failed("some_future_code", FAILED, "So is one that failed for a future reason"),
  failed(null, refuses("PROVIDER_STOPPED", "failed", r.ASIDE_A), "So is one that does not say why it failed"),
  failed("bio_policy", POLICY, "A failure by the provider's policy is a policy stop"),
  failed("image_content_policy_violation", POLICY, "A failure by the provider's image policy is one, too"),
];

/** Every way in which a response ends that is not complete, as a stream and as a whole body. */
export const OUTCOMES: readonly ConformanceCase[] = ENDINGS.flatMap(
  ({ name, title, status, fields, output = [r.A], expect }) => [
    sse(`outcome-${name}`, `${title}.`, {
      covers: [],
      content:
        r.CREATED + output.map((each, index) => r.whole(index, each)).join("") + r.ended(status, fields),
      expect,
    }),
    body(`outcome-${name}`, `${title}, in a whole body too.`, {
      covers: [],
      value: r.response(output, { status, ...fields }),
      expect,
    }),
  ],
);
