import { z } from 'zod';
import { EVENT_TYPES } from '../../src/contracts/events.ts';
import { setStripeSecret } from '../../src/domains/programs/index.ts';
import { seededRandom } from '../chaos/support/seeded-random.ts';
import { operator } from '../chaos/support/settled.ts';
import { makeMerchant, unique } from '../support/factories.ts';
import type { MerchantPlan } from './merchant-plans.ts';
import { openRetryingClient } from './retrying-client.ts';
import type { Merchant, World } from './world.ts';

const identified = z.object({ id: z.string() });

/** A merchant with a program, an event secret and a webhook endpoint for all events. */
export const openMerchant = async (
  { system, origin }: Pick<World, 'system' | 'origin'>,
  { plan, offset, seed, webhookUrl }: { plan: MerchantPlan; offset: number; seed: number; webhookUrl: string },
): Promise<Merchant> => {
  const { key } = await makeMerchant(system.runtime);
  const client = openRetryingClient(`${origin}/api/v1`, key);
  const website = `https://${plan.name.toLowerCase()}.example`;
  await client.send(z.unknown(), 'PATCH', '/merchant', plan.settings);
  const program = { name: `${plan.name} partners`, website, ...plan.program };
  const { id: programId } = await client.send(identified, 'POST', '/programs', program);
  const secret = await client.send(z.object({ signingSecret: z.string() }), 'POST', `/programs/${programId}/event-secret`);
  const endpoint = { name: 'Books', url: webhookUrl, subscribedEvents: [...EVENT_TYPES] };
  await client.send(z.unknown(), 'POST', '/webhooks', endpoint);
  const stripeSecret = plan.usesStripe ? `whsec_${unique()}${unique()}` : null;
  if (stripeSecret !== null) await setStripeSecret(operator(system.runtime), { programId, secret: stripeSecret });
  return {
    plan,
    offset,
    random: seededRandom(seed),
    client,
    programId,
    eventSecret: secret.signingSecret,
    stripeSecret,
    website,
    affiliates: [],
    applicants: new Map(),
    sales: [],
    retried: new Set(),
    reviews: new Map(),
  };
};
