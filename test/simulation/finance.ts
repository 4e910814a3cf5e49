import { z } from 'zod';
import { explain } from '../../src/local/demo/api-client.ts';
import { unique } from '../support/factories.ts';
import type { SandboxTransfer } from '../support/sandbox.ts';
import { attempt } from './merchant-office.ts';
import { chance, count, isDue, type Merchant, type World } from './world.ts';

const REVIEW_EVERY_DAYS = 2;
/** A provider that has no record after so many days never got the order. */
const LOST_AFTER_DAYS = 10;

const payoutShape = z.object({
  id: z.string(),
  affiliateId: z.string(),
  status: z.string(),
  rail: z.string(),
  needsAttention: z.boolean(),
});
type PayoutView = z.infer<typeof payoutShape>;

/** A day in finance. `mayPay`: whether it is the time of the merchant's payouts. */
export const workInFinance = async (world: World, merchant: Merchant, mayPay: boolean): Promise<void> => {
  if (mayPay) await payDue(world, merchant);
  if (!isDue(world, merchant, REVIEW_EVERY_DAYS)) return;
  await payManually(world, merchant);
  await retryFailed(world, merchant);
  await decideReviews(world, merchant);
};

const listPayouts = ({ client, programId }: Merchant, filter: string): Promise<PayoutView[]> =>
  client.get(z.array(payoutShape), `/payouts?programId=${programId}&${filter}&limit=100`);

const dueShape = z.object({
  affiliateId: z.string(),
  meetsThreshold: z.boolean(),
  hasPayoutMethod: z.boolean(),
  blocked: z.boolean(),
});

const payDue = async (world: World, merchant: Merchant): Promise<void> => {
  const { client, programId, random } = merchant;
  const due = await client.get(z.array(dueShape), `/payouts/pending?programId=${programId}&limit=100`);
  for (const one of due.filter(({ meetsThreshold, hasPayoutMethod, blocked }) => meetsThreshold && hasPayoutMethod && !blocked)) {
    const id = await createPayout(world, merchant, '/payouts', { affiliateId: one.affiliateId, programId });
    // Somebody has second thoughts.
    if (id !== null && chance(random, 5) && (await attempt(world, merchant, `/payouts/${id}/cancel`))) count(world, 'cancels');
  }
};

const createPayout = async (world: World, { client }: Merchant, path: string, body?: unknown): Promise<string | null> => {
  const response = await client.request('POST', path, body);
  if (response.status === 409) {
    count(world, `409 ${response.error?.details?.reason}`);
    return null;
  }
  if (response.status !== 201) throw new Error(explain('POST', path, response));
  const { id } = z.object({ id: z.string() }).parse(response.data);
  world.acknowledged.push({ kind: 'payout', id });
  count(world, path === '/payouts' ? 'payouts' : 'retries');
  return id;
};

/** Bank transfers: begun on one day, recorded as paid or failed on a later one. */
const payManually = async (world: World, merchant: Merchant): Promise<void> => {
  const isManual = ({ rail }: PayoutView) => rail === 'manual';
  for (const { id } of (await listPayouts(merchant, 'status=processing')).filter(isManual)) {
    const outcome = chance(merchant.random, 10) ? 'fail' : 'complete';
    if (await attempt(world, merchant, `/payouts/${id}/${outcome}`, { note: 'By the bank statement' }))
      count(world, 'paid manually');
  }
  for (const { id } of (await listPayouts(merchant, 'status=pending')).filter(isManual)) {
    await attempt(world, merchant, `/payouts/${id}/process`);
  }
};

/** The affiliate corrects the details, and the merchant tries once more. */
const retryFailed = async (world: World, merchant: Merchant): Promise<void> => {
  const failed = await listPayouts(merchant, 'status=failed');
  for (const { id, affiliateId } of failed.filter((payout) => !merchant.retried.has(payout.id))) {
    merchant.retried.add(id);
    const person = merchant.affiliates.find((one) => one.affiliateId === affiliateId)?.person;
    const details = { payoutMethod: 'paypal', paypalEmail: `ok+${unique()}@affiliates.example` };
    await person?.client.send(z.unknown(), 'PATCH', '/me/payout-info', details);
    await createPayout(world, merchant, `/payouts/${id}/retry`);
  }
};

/** Finance asks the provider before it decides on a payout whose outcome is unknown. */
const decideReviews = async (world: World, merchant: Merchant): Promise<void> => {
  const waiting = await listPayouts(merchant, 'status=processing&needsAttention=true');
  if (waiting.length === 0) return;
  const transfers = new Map((await world.system.sandbox.transfers()).map((transfer) => [transfer.reference, transfer]));
  for (const { id } of waiting) {
    const since = merchant.reviews.get(id) ?? world.day;
    merchant.reviews.set(id, since);
    const decision = decisionOf(transfers.get(id), world.day - since);
    if (decision === null) continue;
    if (await attempt(world, merchant, `/payouts/${id}/${decision}`, { note: 'By the statement of the provider' }))
      count(world, `reviews: ${decision}`);
  }
};

const decisionOf = (transfer: SandboxTransfer | undefined, days: number): 'complete' | 'fail' | null => {
  if (!transfer) return days >= LOST_AFTER_DAYS ? 'fail' : null;
  if (transfer.status === 'paid') return 'complete';
  return transfer.status === 'failed' ? 'fail' : null;
};
