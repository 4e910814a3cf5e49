import type { Context } from '../../../platform/context.ts';
import type { UnusableMember } from '../../../platform/http/lenient.ts';
import { type EventName, storeSaleProblem } from './sale-problem.steps.ts';

/** What of an event could not be used. The payment is recorded without it. */
export interface UnusableParts {
  members: readonly UnusableMember[];
  /** As the problem names the event. */
  event: EventName;
}

/** Lists a problem for a person, once per event, in the transaction that records the rest. Returns what the sender is told. */
export const reportUnusable = async (
  ctx: Context,
  merchantId: string,
  parts: UnusableParts | undefined,
): Promise<{ unusable?: UnusableMember[] }> => {
  if (parts === undefined || parts.members.length === 0) return {};
  const { members, event } = parts;
  const fields = members.map(({ field }) => field);
  await storeSaleProblem(ctx, merchantId, { ...event, reason: 'UNUSABLE_FIELDS', fields });
  ctx.log.warn({ merchantId, ...event, fields }, 'parts of an event cannot be used');
  return { unusable: [...members] };
};
