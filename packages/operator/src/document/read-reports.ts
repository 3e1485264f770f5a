import { parseBody, reportBodySchema, type ReportBody } from "@airlock/core/contract";
import { verifyRecord, type Keyring } from "@airlock/core/record";
import { globalKeys, type Redis } from "@airlock/core/store";

/** The contract reports of a route that the validator of this keyring signed; others count for nobody here. */
export async function readReports(
  place: { readonly redis: Redis; readonly keyring: Keyring },
  route: string,
): Promise<readonly ReportBody[]> {
  const texts = await place.redis.hvals(globalKeys.report(route));
  const reports = texts.flatMap((text): readonly ReportBody[] => {
    try {
      const record: unknown = JSON.parse(text);
      return [parseBody(reportBodySchema, verifyRecord(place.keyring, "report", record))];
    } catch {
      return []; // no record, or signed with the keys of another installation that used this Redis
    }
  });
  return reports.filter((report) => report.route === route);
}
