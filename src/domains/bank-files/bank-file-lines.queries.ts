import type { PayoutDetails } from '../../contracts/payouts.ts';
import type { Context } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { accountOf, type FileRail, openFileRail } from '../payouts/index.ts';
import { db } from '../tables.ts';
import { maskedAccount } from './bank-files.queries.ts';
import type { BankFileLineView } from './bank-files.wire.ts';

const STATUS = sql<BankFileLineView['status']>`case when o.status = 'completed' then 'paid'
    when o.status = 'failed' and o.failure_code = 'returned' then 'returned' when o.status = 'failed' then 'failed'
    when a.outcome = 'accepted' then 'accepted' else 'open' end`;

/** The lock-free look at a page: rails are opened once for it. */
const linesOf = (rail: FileRail | null) =>
  list({
    name: 'bank-file-lines',
    query: ({ fileId }: Given<{ fileId: string }>) =>
      db
        .selectFrom('bank_file_line as l')
        .innerJoin('payout as o', 'o.id', 'l.payoutId')
        .innerJoin('payout_attempt as a', 'a.id', 'l.attemptId')
        .select(['l.id', 'l.position', 'l.payoutId', 'o.affiliateCode', 'l.amount', 'o.details', 'l.state', 'l.reason'])
        .select(['l.payeeCheck', 'l.suggestedName', 'o.currency', STATUS.as('status')])
        .where('l.fileId', '=', fileId),
    sort: { key: sql.ref('l.position'), id: sql.ref('l.id'), type: 'bigint', ascending: true },
    toItem: ({ details, suggestedName, ...line }, ctx): BankFileLineView => {
      const place = { table: 'bank_file_line', column: 'suggested_name', row: line.id };
      return {
        ...line,
        state: line.state ?? null,
        reason: line.reason ?? null,
        payeeCheck: line.payeeCheck ?? null,
        ...namesOf(ctx, rail, { id: line.payoutId, details: details ?? null }),
        suggestedName: suggestedName ? ctx.cipher.decrypt(suggestedName, place) : null,
      };
    },
  });

const namesOf = (
  ctx: Context,
  rail: FileRail | null,
  { id, details }: { id: string; details: string | null },
): Pick<BankFileLineView, 'payee' | 'payeeAsSent' | 'account'> => {
  if (details === null) return { payee: null, payeeAsSent: null, account: null };
  const read = JSON.parse(ctx.cipher.decrypt(details, { table: 'payout', column: 'details', row: id })) as PayoutDetails;
  return {
    payee: read.bankAccountHolder,
    payeeAsSent: rail?.nameOf({ details: read }).name ?? null,
    account: maskedAccount(read.bankIban ?? ''),
  };
};

const findAccountOfFile = (ctx: Context, fileId: string) =>
  firstRow(
    ctx.em,
    db
      .selectFrom('bank_file as f')
      .innerJoin('rail_account as r', 'r.id', 'f.railAccountId')
      .select(['f.merchantId', 'r.id', 'r.rail', 'r.settings', 'r.secrets'])
      .where('f.id', '=', fileId),
  );

/** In the order of the file. Throws NOT_FOUND and FORBIDDEN. */
export const listBankFileLines = async (ctx: Context, id: string, page: PageQuery): Promise<Page<BankFileLineView>> => {
  const file = readOwned(ctx, 'Bank file', await findAccountOfFile(ctx, id));
  // How names are written is a setting of the account, and a disconnected one has none.
  const rail =
    file.secrets === null
      ? null
      : openFileRail({ ...file, account: accountOf(ctx, { ...file, secrets: file.secrets }) }, ctx.clock);
  return linesOf(rail)(ctx, page, { fileId: id });
};
