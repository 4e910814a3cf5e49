import type { PayeeAccount } from '../../contracts/payee-accounts.ts';
import { DETAILS_COOLDOWN_MS } from '../../contracts/people.ts';
import { recordChange } from '../../platform/audit-log/record-change.ts';
import { after } from '../../platform/clock.ts';
import { type Context, emitInternal, type InternalEventListener, inTransaction } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';

// Templates: a condition over another table.

/** Which connection: by its id, or by what Stripe calls its account in notices of the merchant's account. */
export type ConnectionName = { id: string } | { railAccountId: string; account: string };

const lockConnection = (ctx: Context, name: ConnectionName) => {
  const all = db
    .selectFrom('stripe_connection')
    .select(['id', 'profileId', 'merchantId', 'accountId', 'state', 'hasToWait', 'readyAt', 'disconnectedAt'])
    .forNoKeyUpdate();
  const query =
    'id' in name
      ? all.where('id', '=', name.id)
      : all.where('railAccountId', '=', name.railAccountId).where('accountId', '=', name.account);
  return firstRow(ctx.em, query);
};

/**
 * Stores how an account is, as Stripe says. Once it may receive, its owner is paid there: from then on the waits after changed payout details
 * apply. The second call changes nothing.
 */
export const hearPayeeAccount = (ctx: Context, name: ConnectionName, heard: PayeeAccount): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const known = await lockConnection(ctx, name);
    if (!known || (known.accountId !== null && known.accountId !== heard.account)) return;
    const now = ctx.clock.now();
    const said = { state: heard.state, requirements: heard.requirements, accountId: heard.account, updatedAt: now.toISOString() };
    const isPaidHere = known.readyAt === null && known.disconnectedAt === null && heard.state === 'ready';
    const change = isPaidHere
      ? { readyAt: now.toISOString(), ...(await waitAfter(ctx, known, await isFirstPlace(ctx, known))) }
      : {};
    await execute(
      ctx.em,
      db
        .updateTable('stripe_connection')
        .set({ ...said, ...change })
        .where('id', '=', known.id),
    );
    if (isPaidHere) await tellOwner(ctx, known.profileId, 'stripe');
  });

interface Changed {
  profileId: string;
  merchantId: string;
  hasToWait: boolean;
}

/** Whoever took over a session or mailbox cannot be paid at once, nor after they send payments back to where they were. */
export const waitAfter = async (ctx: Context, { hasToWait }: Pick<Changed, 'hasToWait'>, isFirst: boolean) => {
  if (isFirst) return {};
  const now = ctx.clock.now();
  const until = hasToWait ? after(now, ctx.settings.scaled(DETAILS_COOLDOWN_MS)).toISOString() : null;
  return { changedAt: now.toISOString(), cooldownUntil: until };
};

/** Whether nobody has said before where this merchant pays the person: the first place waits for nobody. */
const isFirstPlace = async (ctx: Context, { profileId, merchantId }: Changed): Promise<boolean> => {
  const found = await firstRow(
    ctx.em,
    sql<{
      isFirst: boolean;
    }>`select not exists (select from affiliate_profile where id = ${profileId}::uuid and payout_method is not null)
      and not exists (select from affiliate where profile_id = ${profileId}::uuid and merchant_id = ${merchantId}::uuid
        and payout_method is not null)
      and not exists (select from stripe_connection where profile_id = ${profileId}::uuid and merchant_id = ${merchantId}::uuid
        and (changed_at is not null or ready_at is not null or disconnected_at is not null)) as "isFirst"`,
  );
  return found?.isFirst ?? false;
};

/** By mail, and in their list of changes. */
export const tellOwner = async (ctx: Context, profileId: string, to: 'stripe' | 'payout_details'): Promise<void> => {
  await recordChange(ctx, {
    ownerId: profileId,
    action: 'profile.payout_details_changed',
    resourceId: profileId,
    after: { paidTo: to },
    hidden: ['payoutDetails'],
  });
  await emitInternal(ctx, {
    type: 'payout.details_changed',
    profileId,
    affiliateId: null,
    changeId: ctx.ids.next(),
    ...{ oldAddress: null, newAddress: null, undo: null },
  });
};

/** Notices of an account know only its own payees: one of another merchant's account changes nothing. */
export const hearPayeeOnEvent: InternalEventListener = async (ctx, event) => {
  if (event.type !== 'payee_account.changed') return;
  const { railAccountId, payee } = event;
  await hearPayeeAccount(ctx, { railAccountId, account: payee.account }, payee);
};
