import type { EventListener } from '../../platform/context.ts';
import { releaseDueConversions } from './release-due-conversions.ts';

/** Approves what became due while the affiliate was blocked, in the transaction that unblocks. */
export const releaseOnUnblock: EventListener = async (ctx, event) => {
  if (event.type === 'affiliate.unblocked') await releaseDueConversions(ctx, event.data.id);
};
