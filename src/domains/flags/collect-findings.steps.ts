import type { FlagType } from '../../contracts/flags.ts';
import { SCREENING_LIMITS } from '../../contracts/screening-limits.ts';
import type { FailedRules } from '../../contracts/workflows/screening.ts';
import type { Context } from '../../platform/context.ts';
import { emailDigest } from '../../platform/email.ts';
import { paypalEmailsOf } from '../affiliates/index.ts';
import type { RaiseFlagInput } from './raise-flag.steps.ts';
import type { AffiliateRow, UnscreenedRow } from './screening.queries.ts';
import { applyRules } from './screening.rules.ts';
import type { AffiliateFacts } from './screening-facts.rules.ts';

export interface Findings {
  /** One for each affiliate and type. */
  flags: RaiseFlagInput[];
  failedRules: FailedRules;
}

/** What the rules find in a batch of conversions. */
export const collectFindings = (
  ctx: Context,
  conversions: readonly UnscreenedRow[],
  affiliates: readonly AffiliateRow[],
): Findings => {
  const failedRules: Record<string, number> = {};
  const facts = new Map(affiliates.map((row) => [row.id, toAffiliateFacts(ctx, row)]));
  const found = conversions.flatMap((row) => {
    const affiliate = facts.get(row.affiliateId);
    if (!affiliate) return [];
    const onError = (rule: string, err: unknown) => {
      failedRules[rule] = (failedRules[rule] ?? 0) + 1;
      ctx.log.error({ err, rule, conversionId: row.id }, 'a fraud rule failed');
    };
    return applyRules({ ...row, affiliate }, SCREENING_LIMITS, { onError }).map((finding) => ({ ...finding, row }));
  });
  const byFlag = Map.groupBy(found, ({ type, row }) => `${row.affiliateId} ${type}`);
  return { flags: [...byFlag.values()].flatMap((findings) => toFlag(findings)), failedRules };
};

interface Found {
  type: FlagType;
  evidence: Readonly<Record<string, unknown>>;
  row: UnscreenedRow;
}

const toFlag = (findings: readonly Found[]): RaiseFlagInput[] => {
  const [first] = findings;
  if (!first) return [];
  const { affiliateId, programId, merchantId } = first.row;
  const conversionIds = [...new Set(findings.map(({ row }) => row.id))];
  return [{ affiliateId, programId, merchantId, type: first.type, details: first.evidence, conversionIds }];
};

const toAffiliateFacts = (ctx: Context, row: AffiliateRow): AffiliateFacts => {
  let emails: ReadonlySet<string> | undefined;
  const digest = (address: string) => emailDigest(ctx.cipher, address);
  return {
    ...row,
    emails: () => (emails ??= new Set([row.email, ...paypalEmailsOf(ctx, row)].map(digest))),
  };
};
