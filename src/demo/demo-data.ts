import { createAffiliate } from '../domains/affiliates/index.ts';
import { createMerchant } from '../domains/merchants/index.ts';
import { createProgram, listProgramSummaries } from '../domains/programs/index.ts';
import { LocalStackError } from '../local-stack/local-stack-error.ts';
import { type Context, inTransaction } from '../platform/context.ts';
import { firstRow, sql } from '../platform/database/sql.ts';

const COMPANY = 'Tributary Demo';
const EMAIL = 'demo@tributary.example';
const PROGRAM = 'Demo program';
/** What the sandbox provider pays at once. */
const AFFILIATE = { email: 'ok@affiliates.example', name: 'Ada Demo', payout: { paypalEmail: 'ok@affiliates.example' } };

export interface DemoPeople {
  merchantId: string;
  programId: string;
  profileId: string;
  affiliateId: string;
  code: string;
}

/**
 * The demo merchant with an active program and a payable affiliate, made in an empty database and found in every
 * later one. All of it is made in one transaction: a start that was killed leaves a whole demo or none.
 */
export const findOrCreateDemo = (ctx: Context): Promise<DemoPeople> =>
  inTransaction(ctx, async (ctx) => {
    const merchantId = (await findDemoMerchant(ctx)) ?? (await makeDemoMerchant(ctx));
    const programId = (await findDemoProgram(ctx, merchantId)) ?? (await makeDemoProgram(ctx, merchantId));
    // For a member it answers the membership and changes nothing.
    return { merchantId, programId, ...(await createAffiliate(ctx, { ...AFFILIATE, programId, source: 'import' })) };
  });

export const hasMerchants = async (ctx: Context): Promise<boolean> =>
  (await firstRow(ctx.em, sql`select 1 from merchant limit 1`)) !== null;

const findDemoMerchant = async (ctx: Context): Promise<string | null> => {
  const row = await firstRow(
    ctx.em,
    sql<{ id: string }>`select id from merchant where email = ${EMAIL} and company_name = ${COMPANY} order by id limit 1`,
  );
  return row?.id ?? null;
};

const makeDemoMerchant = async (ctx: Context): Promise<string> => {
  if (await hasMerchants(ctx)) {
    throw new LocalStackError(
      'This database holds merchants and no demo merchant. npm start puts its demo only into an empty database: run bin/api.ts and bin/worker.ts on yours.',
    );
  }
  return (await createMerchant(ctx, { companyName: COMPANY, email: EMAIL })).id;
};

/** One that was paused or archived is left alone, and another takes its place. */
const findDemoProgram = async (ctx: Context, merchantId: string): Promise<string | null> => {
  const programs = await listProgramSummaries(ctx, merchantId);
  return programs.findLast((program) => program.name === PROGRAM && program.status === 'active')?.id ?? null;
};

const makeDemoProgram = async (ctx: Context, merchantId: string): Promise<string> => {
  const program = await createProgram(ctx, {
    merchantId,
    name: PROGRAM,
    commissionType: 'recurring',
    commissionPercent: 20,
    commissionHoldDays: 0,
    payoutThreshold: 1_000,
    currency: 'usd',
  });
  return program.id;
};
