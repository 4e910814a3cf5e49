import type { EventListener } from '../../platform/context.ts';
import { findDueConversionsOf } from './commissions.queries.ts';
import { releaseForAffiliate } from './release-for-affiliate.ts';

/** Keeps the request short: the scheduled release approves the rest. */
const MAX_IN_REQUEST = 200;

/** Approves what became due while the affiliate was blocked, in the transaction that unblocks. */
export const releaseOnUnblock: EventListener = async (ctx, event) => {
  if (event.type !== 'affiliate.unblocked') return;
  const due = await findDueConversionsOf(ctx, event.data.id, MAX_IN_REQUEST);
  await releaseForAffiliate(ctx, event.data.id, due);
};
