import type { ErasedPerson } from '../../../contracts/erasure.ts';
import { after, HOUR_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { normalizeEmail } from '../../../platform/email.ts';
import { invalidField } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { eraseResponses } from '../../../platform/idempotency/idempotency.ts';
import { eraseApplicationMentions } from '../../applications/index.ts';
import { eraseFileMentions } from '../../bank-files/index.ts';
import {
  customerIdsOf,
  eraseAdjustmentMentions,
  eraseAuthorizations,
  eraseIdentities,
  eraseSales,
  eraseSignUps,
} from '../../conversions/index.ts';
import { eraseFlagMentions } from '../../flags/index.ts';
import { erasePayoutMentions, erasePayoutRecipients } from '../../payouts/index.ts';
import { erasePersonAccount } from '../../people/index.ts';
import { eraseDifferenceMentions } from '../../reconciliation/index.ts';
import { eraseEvents, eraseExcerpts } from '../../webhooks/index.ts';
import { eraseProfile, findNames } from '../erase-profile.steps.ts';
import { findKeptData, type KeptData, listOwed, type OwedBalance } from '../kept-data.queries.ts';

export interface Erasure {
  /** Null when no profile has the address: it was erased before, or the person is a customer only. */
  profileId: string | null;
  /** Rows in which something was replaced; applications that were withdrawn. */
  erased: Record<
    'memberships' | 'applications' | 'keys' | 'payouts' | 'sales' | 'signUps' | 'events' | 'notes' | 'attempts' | 'responses',
    number
  >;
  kept: KeptData[];
  /** What merchants still owe the person, who cannot be paid: the details are erased. */
  owed: OwedBalance[];
}

/** Customers may have entered what is no address. Less than this would be found in the texts of others. */
const ADDRESS = /^(?=.{6,320}$)[^@]+@.+$/su;

/** What was written about others, and names the person. */
const eraseMentions = async (ctx: Context, person: ErasedPerson): Promise<number> =>
  (await erasePayoutMentions(ctx, person)) +
  (await eraseAdjustmentMentions(ctx, person)) +
  (await eraseFlagMentions(ctx, person)) +
  (await eraseApplicationMentions(ctx, person)) +
  (await eraseFileMentions(ctx, person)) +
  (await eraseDifferenceMentions(ctx, person));

/**
 * Replaces the data of a person in every table, in transactions of bounded size, and keeps the books. Must not be called inside
 * a transaction. A repeat finds what an interrupted call left, and what was needed then and no longer is.
 */
export const erasePerson = async (ctx: Context, input: { email: string }): Promise<Erasure> => {
  const address = normalizeEmail(input.email);
  if (!ADDRESS.test(address)) throw invalidField('email', 'must be an email address');
  const person = { address, ...customerIdsOf(ctx.cipher, input.email), ...(await findNames(ctx, address)) };
  const pseudonym = `erased_${ctx.ids.next()}`;
  const startedAt = ctx.clock.now();
  // Before the profile, which has the names: an interrupted run finds them again.
  const before = { events: await eraseEvents(ctx, person, null), responses: await eraseResponses(ctx, person) };
  const profile = await eraseProfile(ctx, person.address);
  await inTransaction(ctx, (ctx) => erasePersonAccount(ctx, person.address));
  faultPoint('erasure:after-profile');
  const erased = {
    memberships: profile?.memberships ?? 0,
    applications: profile?.applications ?? 0,
    keys: profile?.keys ?? 0,
    payouts: await erasePayoutRecipients(ctx),
    sales: (await eraseSales(ctx, person, pseudonym)) + (await eraseAuthorizations(ctx, person)),
    signUps: await eraseSignUps(ctx, person, pseudonym),
    // What was written meanwhile. An hour is more than clocks differ.
    events: before.events + (await eraseEvents(ctx, person, after(startedAt, -HOUR_MS))),
    notes: await eraseMentions(ctx, person),
    attempts: await eraseExcerpts(ctx, person),
    responses: before.responses + (await eraseResponses(ctx, person)),
  };
  await eraseIdentities(ctx, person, pseudonym);
  const profileId = profile?.profileId ?? null;
  return { profileId, erased, kept: await findKeptData(ctx, profileId), owed: await listOwed(ctx, profileId) };
};
