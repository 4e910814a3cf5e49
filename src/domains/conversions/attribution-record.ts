import { actorName, type Context } from '../../platform/context.ts';
import type { Attribution, AttributionRecord, UnusedEvidence } from './attribution.ts';

/** What is stored about a decision, for the merchant to read later. */
export const recordOf = (
  ctx: Context,
  match: Attribution | null,
  unused: readonly UnusedEvidence[],
  note: string | null = null,
): AttributionRecord => ({
  rule: match?.rule ?? null,
  attributedAt: match?.at.toISOString() ?? null,
  clickId: match?.clickId ?? null,
  linkId: match?.linkId ?? null,
  couponId: match?.couponId ?? null,
  code: match?.code ?? null,
  identificationId: match?.identificationId ?? null,
  saleId: match?.saleId ?? null,
  note,
  decidedBy: match?.rule === 'manual' ? actorName(ctx.actor) : null,
  decidedAt: ctx.clock.now().toISOString(),
  unused: [...unused],
});
