import type { FlagType } from '../../../contracts/flags.ts';
import type { ScreeningLimits } from '../../../contracts/screening-limits.ts';
import { conversionAnomaly } from './conversion-anomaly.ts';
import { newAffiliate } from './new-affiliate.ts';
import type { ConversionFacts, Evidence, Rule } from './rule.ts';
import { selfReferral } from './self-referral.ts';
import { suspiciousActivity } from './suspicious-activity.ts';

export interface Finding {
  type: FlagType;
  evidence: Evidence;
}

export const RULES: readonly Rule[] = [selfReferral, suspiciousActivity, conversionAnomaly, newAffiliate];

/** What the rules find, in their order. A rule that throws never passes a conversion: a person looks at it. */
export const applyRules = (
  facts: ConversionFacts,
  limits: ScreeningLimits,
  { rules = RULES, onError }: { rules?: readonly Rule[]; onError(rule: string, error: unknown): void },
): Finding[] =>
  rules.flatMap(({ name, type, find }): Finding[] => {
    try {
      const evidence = find(facts, limits);
      return evidence ? [{ type, evidence }] : [];
    } catch (error) {
      onError(name, error);
      return [{ type: 'manual_review', evidence: { reason: 'rule_failed', rule: name } }];
    }
  });
