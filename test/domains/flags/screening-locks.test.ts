import { createFlag } from '../../../src/domains/flags/use-cases/flag.ts';
import { screenConversions } from '../../../src/domains/flags/use-cases/screening.ts';
import { recipientDigest } from '../../../src/domains/notifications/recipient-digest.steps.ts';
import type { Actor, Context, InternalEventListener } from '../../../src/platform/context.ts';
import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, saleEvent, sendUnscreened } from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';

const api = useTestApi();
/** All of it is in one hour. */
const now = new Date();
const contextOf = (actor: Actor): Context => ({ ...api.runtime.context(actor), clock: { now: () => now } });
const context = () => contextOf({ kind: 'system', name: 'test' });

/** A merchant that was told of so many flags in this hour that one mail tells of all others. */
const makeBusyMerchant = async () => {
  const { key, keyId, merchantId } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, { reviewNewAffiliates: true });
  const merchant = await firstRow(
    context().em,
    sql<{ email: string }>`select email from merchant where id = ${merchantId}::uuid`,
  );
  const digest = recipientDigest(context(), merchant?.email ?? '');
  await execute(
    context().em,
    sql`insert into mail (id, kind, subject_id, merchant_id, recipient, recipient_digest, period, payload, message_id, status, created_at,
        queued_at, sent_at, updated_at)
      select uuidv7(), 'flag_opened', uuidv7(), ${merchantId}::uuid, null, ${digest}, '', null, uuidv7()::text, 'sent', now(), now(), now(), now()
      from generate_series(1, 20)`,
  );
  const sell = async (code: string) => {
    await sendUnscreened(api, program, saleEvent({ referralCode: code }));
  };
  const asMerchant = () => contextOf({ kind: 'key', keyId, keyType: 'merchant', ownerId: merchantId, scopes: [] });
  return { merchantId, program, sell, asMerchant };
};

type BusyMerchant = Awaited<ReturnType<typeof makeBusyMerchant>>;

const shardOf = (affiliateId: string): number => Number.parseInt(affiliateId.slice(-1), 16);

/** An affiliate of a shard with a sale that is flagged. */
const makeSuspect = async ({ program, sell }: BusyMerchant, shard?: number): Promise<string> => {
  for (;;) {
    const { affiliateId, code } = await makeAffiliate(api.runtime, program.programId);
    if (shard !== undefined && shardOf(affiliateId) !== shard) continue;
    await sell(code);
    return affiliateId;
  }
};

/** Calls `then` after the first flag was opened, and continues when its promise is settled. */
const pausedAtFirstFlag = (then: () => Promise<unknown>): Context => {
  const ctx = context();
  let isFirst = true;
  const pause: InternalEventListener = async (_ctx, { type }) => {
    if (type !== 'flag.opened' || !isFirst) return;
    isFirst = false;
    await then();
  };
  return { ...ctx, internalListeners: [...ctx.internalListeners, pause] };
};

const openFlags = async ({ merchantId }: BusyMerchant) =>
  (
    await firstRow(
      context().em,
      sql<{ flags: number }>`select count(*)::int as flags from flag where merchant_id = ${merchantId}::uuid and status = 'open'`,
    )
  )?.flags;

it('a merchant who flags an affiliate while a batch is screened waits for the batch, and both are done', async () => {
  const merchant = await makeBusyMerchant();
  const first = await makeSuspect(merchant);
  const shard = shardOf(first);
  const second = await makeSuspect(merchant, shard);
  let flagging: Promise<unknown> | undefined;
  const ctx = pausedAtFirstFlag(async () => {
    flagging = createFlag(merchant.asMerchant(), { affiliateId: second, conversionIds: [], note: 'Bids on our brand name' });
    await untilSomebodyWaits(api);
  });
  expect(await screenConversions(ctx, { shard, limit: 10 })).toMatchObject({ screened: 2 });
  expect(await flagging).toMatchObject({ affiliateId: second, conversionCount: 1, details: { evidenceCount: 2 } });
  expect(await openFlags(merchant)).toBe(2);
});

it('two batches with affiliates of the same merchants are screened at the same time without a deadlock', async () => {
  const [one, other] = [await makeBusyMerchant(), await makeBusyMerchant()];
  const shard = shardOf(await makeSuspect(one));
  await makeSuspect(other, shard);
  const next = (shard + 1) % 16;
  // Ids of affiliates rise, so that the merchants follow each other in the opposite order.
  await makeSuspect(other, next);
  await makeSuspect(one, next);
  let screening: Promise<unknown> | undefined;
  const ctx = pausedAtFirstFlag(async () => {
    screening = screenConversions(context(), { shard: next, limit: 10 });
    await untilSomebodyWaits(api);
  });
  expect(await screenConversions(ctx, { shard, limit: 10 })).toMatchObject({ screened: 2 });
  expect(await screening).toMatchObject({ screened: 2 });
  expect([await openFlags(one), await openFlags(other)]).toEqual([2, 2]);
});
