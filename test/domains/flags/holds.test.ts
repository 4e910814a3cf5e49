import fc from 'fast-check';
import { raiseFlag } from '../../../src/domains/flags/index.ts';
import { screenConversions } from '../../../src/domains/flags/use-cases/screening.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { execute, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, saleEvent, sendUnscreened } from '../../support/factories.ts';

const api = useOwnApi({ RAIL_PAYPAL: 'manual' });
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const STEPS = ['sell', 'sell', 'screen', 'screen one', 'flag', 'dismiss', 'pay', 'pay', 'cancel'] as const;

const makeMember = async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, { commissionHoldDays: 0 });
  const { affiliateId, code } = await makeAffiliate(api.runtime, program.programId);
  const { programId } = program;
  const shard = Number.parseInt(affiliateId.slice(-1), 16);
  const conversions: string[] = [];
  const open: string[] = [];
  const act: Record<(typeof STEPS)[number], (pick: number) => Promise<unknown>> = {
    sell: async () => {
      conversions.push((await sendUnscreened(api, program, saleEvent({ referralCode: code }))).data.conversionId);
    },
    screen: () => screenConversions(context(), { shard, limit: 100 }),
    'screen one': () => screenConversions(context(), { shard, limit: 1 }),
    flag: async (pick) => {
      const conversionIds = conversions.filter((_id, at) => at % 3 === pick % 3);
      const details = { reason: 'test' };
      await raiseFlag(context(), { merchantId, programId, affiliateId, type: 'manual_review', details, conversionIds });
    },
    dismiss: () =>
      execute(
        context().em,
        sql`update flag set status = 'dismissed', resolved_at = now(), hold_ended_at = now()
          where affiliate_id = ${affiliateId}::uuid and status = 'open'`,
      ),
    pay: async () => {
      const { status, data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
      if (status !== 201) return;
      open.push(data.id);
      expect(await heldItems(data.id)).toEqual([]);
    },
    cancel: async () => {
      const id = open.pop();
      if (id) await api.call('POST', `/payouts/${id}/cancel`, { key });
    },
  };
  return act;
};

/** Items of a payout that should not be in it. */
const heldItems = (payoutId: string) =>
  rows(
    context().em,
    sql`select c.id from payout_item i join conversion c on c.id = i.subject_id
      where i.payout_id = ${payoutId}::uuid and i.kind = 'commission' and (c.screened_at is null or c.approved_at is null or exists (
        select from flag_conversion k join flag f on f.id = k.flag_id where k.conversion_id = c.id and f.hold_ended_at is null))`,
  );

it('no payout ever includes a commission that is not screened or that a flag holds, in any order of what happens', async () => {
  const step = fc.tuple(fc.constantFrom(...STEPS), fc.nat(5));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
      const act = await makeMember();
      for (const [name, pick] of steps) await act[name](pick);
    }),
    { numRuns: 25, endOnFailure: true },
  );
  expect(await verifyLedger(context())).toEqual([]);
});
