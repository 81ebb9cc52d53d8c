import { deflateSync, inflateSync } from "node:zlib";
import type { Paid } from "../pipeline/paid.ts";
import type { Ledger } from "../ports/ledger.ts";

/** What earlier processes have paid for in this run; from now on kept for later ones. */
export async function recallPaid(runId: string, ledger: Ledger): Promise<Paid> {
  const kept = new Map<string, string[]>();
  for (const { key, value } of await ledger.paidOf(runId)) kept.set(key, [...(kept.get(key) ?? []), value]);
  return {
    async once(key, action) {
      const value = kept.get(key)?.shift();
      if (value !== undefined) return JSON.parse(inflateSync(Buffer.from(value, "base64")).toString("utf8"));
      const result = await action();
      await ledger.keepPaid(runId, key, deflateSync(JSON.stringify(result)).toString("base64"));
      return result;
    },
  };
}
