import { createAffiliate } from '../../domains/applications/index.ts';
import { bookAdjustment } from '../../domains/conversions/index.ts';
import { createMerchant } from '../../domains/merchants/index.ts';
import { addOwner } from '../../domains/people/index.ts';
import { createProgram, listProgramSummaries } from '../../domains/programs/index.ts';
import { actorName, type Context, inTransaction } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { LocalStackError } from '../stack/local-stack-error.ts';

const COMPANY = 'Tributary Demo';
const EMAIL = 'demo@tributary.example';
const OWNER = 'Olivia Demo';
const PROGRAM = 'Demo program';
const CURRENCY = 'usd';
/** The sandbox provider pays this address without errors. */
const AFFILIATE = { email: 'ok@affiliates.example', name: 'Ada Demo', payout: { paypalEmail: 'ok@affiliates.example' } };
/** Addresses for which sign-in links are printed: an owner of the merchant, and the affiliate. */
export const MAILBOXES = { owner: EMAIL, affiliate: AFFILIATE.email };

/** The demo never pays this affiliate: the first payout of the user does. */
const PAYABLE = {
  email: 'ok+grace@affiliates.example',
  name: 'Grace Demo',
  payout: { paypalEmail: 'ok+grace@affiliates.example' },
};

/** Paid by the run of the demo, but for the last one, who has no payout details. */
const TEAM = [
  { email: 'ok+alan@affiliates.example', name: 'Alan Demo', payout: { paypalEmail: 'ok+alan@affiliates.example' } },
  { email: 'ok+mary@affiliates.example', name: 'Mary Demo', payout: { paypalEmail: 'ok+mary@affiliates.example' } },
  { email: 'edsger@affiliates.example', name: 'Edsger Demo' },
];

const WELCOME_BONUS = 2_500;

export interface DemoPeople {
  merchantId: string;
  programId: string;
  profileId: string;
  affiliateId: string;
  code: string;
  /** Affiliate that is left with a payable balance. */
  payable: { affiliateId: string; code: string };
  team: readonly { affiliateId: string; code: string }[];
}

/**
 * The demo merchant with an owner, an active program and five affiliates: created in an empty database, found again later. All
 * are created in one transaction, so an interrupted start leaves all of them or none.
 */
export const findOrCreateDemo = (ctx: Context): Promise<DemoPeople> =>
  inTransaction(ctx, async (ctx) => {
    const knownId = await findDemoMerchant(ctx);
    const merchantId = knownId ?? (await createDemoMerchant(ctx));
    await addOwner(ctx, { merchantId, email: EMAIL, name: OWNER });
    const programId = (await findDemoProgram(ctx, merchantId)) ?? (await createDemoProgram(ctx, merchantId));
    // Return the existing affiliates and change nothing when there are any.
    const paid = await createAffiliate(ctx, { ...AFFILIATE, programId, source: 'import' });
    const payable = await createAffiliate(ctx, { ...PAYABLE, programId, source: 'import' });
    const team = [];
    for (const member of TEAM) team.push(await createAffiliate(ctx, { ...member, programId, source: 'import' }));
    const last = team.at(-1);
    if (knownId === null && last) await bookLastMonth(ctx, { merchantId, programId, affiliateId: last.affiliateId });
    return { merchantId, programId, ...paid, payable, team };
  });

/** A bonus in the middle of the month before: books whose first month is the current one could not be closed yet. */
const bookLastMonth = async (ctx: Context, of: Pick<DemoPeople, 'merchantId' | 'programId' | 'affiliateId'>): Promise<void> => {
  const now = ctx.clock.now();
  const createdAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15, 12));
  await bookAdjustment(
    { ...ctx, clock: { now: () => createdAt } },
    {
      ...of,
      id: ctx.ids.next(),
      kind: 'bonus',
      amount: WELCOME_BONUS,
      currency: CURRENCY,
      note: 'Welcome bonus',
      createdBy: actorName(ctx.actor),
      createdAt,
      approved: null,
    },
  );
};

export const hasMerchants = async (ctx: Context): Promise<boolean> =>
  (await firstRow(ctx.em, sql`select 1 from merchant limit 1`)) !== null;

/** Finds it by its email address, which the API cannot change. */
const findDemoMerchant = async (ctx: Context): Promise<string | null> => {
  const row = await firstRow(ctx.em, sql<{ id: string }>`select id from merchant where email = ${EMAIL} order by id limit 1`);
  return row?.id ?? null;
};

const createDemoMerchant = async (ctx: Context): Promise<string> => {
  if (await hasMerchants(ctx)) {
    throw new LocalStackError(
      'This database contains merchants but no demo merchant. npm start creates its demo data only in an empty database; for this one, run bin/api.ts and bin/worker.ts.',
    );
  }
  return (await createMerchant(ctx, { companyName: COMPANY, email: EMAIL })).id;
};

/** A paused or archived program is not changed; another one is created instead. */
const findDemoProgram = async (ctx: Context, merchantId: string): Promise<string | null> => {
  const programs = await listProgramSummaries(ctx, merchantId);
  return programs.findLast((program) => program.name === PROGRAM && program.status === 'active')?.id ?? null;
};

const createDemoProgram = async (ctx: Context, merchantId: string): Promise<string> => {
  const program = await createProgram(ctx, {
    merchantId,
    name: PROGRAM,
    commissionType: 'recurring',
    commissionPercent: 20,
    commissionHoldDays: 0,
    payoutThreshold: 1_000,
    currency: CURRENCY,
  });
  return program.id;
};
