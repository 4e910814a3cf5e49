import type { BankFileStatus } from '../../contracts/bank-files.ts';
import { RAIL_NAMES, railsThatBeginWith } from '../../contracts/rails.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { firstRow, rows, sql, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { conflict } from '../../platform/errors.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { readRailAccount } from '../payouts/index.ts';
import { db } from '../tables.ts';
import type { BankBookingView, BankFileRecord, BankFileView, BankImportView } from './bank-files.wire.ts';
import { findFileActions, whatDiscardAsks } from './file-actions.queries.ts';
import { shownReport } from './import-report.rules.ts';

const FILE_RAILS = railsThatBeginWith('file');

/** Everything but the bytes. */
const FILE = [
  'id',
  'merchantId',
  'rail',
  'railAccountId',
  'messageId',
  'status',
  'executionDate',
  'isInstant',
  'isSingle',
  'payoutRunId',
  'payments',
  'total',
  'currency',
  'digest',
  'bankState',
  'bankStateAt',
  'acceptedAt',
  'createdBy',
  'createdAt',
  'readyAt',
  'downloads',
  'downloadedBy',
  'downloadedAt',
  'handedOverAt',
  'discardedBy',
  'discardedAt',
  'discardNote',
] as const;

/** How many payments of the file `f` are what. */
const RESULTS = sql<Readonly<Record<string, number>>>`coalesce((select jsonb_object_agg(r.result, r.n) from (
    select case when o.status = 'completed' then 'paid' when o.status = 'failed' and o.failure_code = 'returned' then 'returned'
      when o.status = 'failed' then 'failed' when a.outcome = 'accepted' then 'accepted' else 'open' end as result, count(*)::int as n
    from bank_file_line l join payout o on o.id = l.payout_id join payout_attempt a on a.id = l.attempt_id
    where l.file_id = bank_file.id group by 1) r), '{}')`;

/** Payee checks other than a match. */
const MISMATCHES = sql<number>`(select count(*)::int from bank_file_line l where l.file_id = bank_file.id
    and l.payee_check in ('close_match', 'no_match', 'mismatches'))`;

/** Not after an erasure. */
const HAS_CONTENT = sql<boolean>`(bank_file.content is not null)`;

/** An account stays as it was when the file was made. */
const ACCOUNT = sql<string>`(select r.identity from rail_account r where r.id = bank_file.rail_account_id)`;

const fileQuery = () =>
  db
    .selectFrom('bank_file')
    .select(FILE)
    .select([RESULTS.as('results'), MISMATCHES.as('mismatches'), ACCOUNT.as('account'), HAS_CONTENT.as('hasContent')]);

/** "DE89…3000". */
export const maskedAccount = (iban: string): string => `${iban.slice(0, 4)}…${iban.slice(-4)}`;

export type FileRow = NonNullable<Awaited<ReturnType<typeof findFile>>>;

export const findFile = (ctx: Context, id: string) => firstRow(ctx.em, fileQuery().where('id', '=', id));

/** The caller's own. Throws NOT_FOUND and FORBIDDEN. */
export const getOwnFile = async (ctx: Context, id: string): Promise<FileRow> =>
  readOwned(ctx, 'Bank file', await findFile(ctx, id));

interface FileFilter {
  runId?: string | undefined;
  status?: BankFileStatus | undefined;
}

const toView = ({
  merchantId: _owner,
  isInstant,
  isSingle,
  payoutRunId,
  railAccountId,
  results,
  mismatches,
  account,
  hasContent: _content,
  ...file
}: FileRow): BankFileView => ({
  ...file,
  accountId: railAccountId,
  account: maskedAccount(account),
  runId: payoutRunId,
  instant: isInstant,
  single: isSingle,
  name: `${file.messageId}.xml`,
  bankStateAt: toIsoOrNull(file.bankStateAt),
  acceptedAt: toIsoOrNull(file.acceptedAt),
  createdAt: toIso(file.createdAt),
  readyAt: toIsoOrNull(file.readyAt),
  downloadedAt: toIsoOrNull(file.downloadedAt),
  handedOverAt: toIsoOrNull(file.handedOverAt),
  discardedAt: toIsoOrNull(file.discardedAt),
  results: {
    open: results['open'] ?? 0,
    accepted: results['accepted'] ?? 0,
    paid: results['paid'] ?? 0,
    failed: results['failed'] ?? 0,
    returned: results['returned'] ?? 0,
  },
  payeeMismatches: mismatches,
});

const files = list({
  name: 'bank-files',
  query: ({ merchantId, runId, status }: Given<FileFilter & { merchantId: string }>) => {
    let query = fileQuery().where('merchantId', '=', merchantId);
    if (runId) query = query.where('payoutRunId', '=', runId);
    if (status) query = query.where('status', '=', status);
    return query;
  },
  toItem: (row: FileRow) => toView(row),
});

/** Newest first. */
export const listBankFiles = (ctx: Context, { runId, status, ...page }: PageQuery & FileFilter): Promise<Page<BankFileView>> =>
  files(ctx, page, { merchantId: merchantOf(ctx), runId, status });

export const readBankFile = async (ctx: Context, id: string): Promise<BankFileView> => toView(await getOwnFile(ctx, id));

/** With what the caller may do with it now. */
export const getBankFile = async (ctx: Context, id: string): Promise<BankFileRecord> => {
  const file = await getOwnFile(ctx, id);
  return { ...toView(file), discardAsks: await whatDiscardAsks(ctx, file), availableActions: await findFileActions(ctx, file) };
};

/** A merchant's accounts, the current one first, without those that were disconnected. */
export const listFileAccounts = async (ctx: Context, merchantId: string) => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('rail_account')
      .select(['id', 'isCurrent'])
      .where('merchantId', '=', merchantId)
      .where('rail', '=', anyOf(FILE_RAILS))
      .orderBy('isCurrent', 'desc')
      .orderBy('createdAt', 'desc'),
  );
  const accounts = await Promise.all(
    found.map(async ({ id, isCurrent }) => ({ isCurrent, ...(await readRailAccount(ctx, id)) })),
  );
  return accounts.filter(({ account }) => account !== null);
};

/** The account that files are made for. Throws RAIL_CANNOT_PAY without one. */
export const getFileAccount = async (ctx: Context, merchantId: string) => {
  const [account] = await listFileAccounts(ctx, merchantId);
  if (!account?.isCurrent)
    throw conflict('RAIL_CANNOT_PAY', 'There is no bank account to pay from', {
      cause: 'no_account',
      rail: FILE_RAILS[0] ?? RAIL_NAMES[0],
    });
  return account;
};

const bookings = list({
  name: 'bank-bookings',
  query: ({ merchantId }: Given<{ merchantId: string }>) =>
    db
      .selectFrom('bank_booking')
      .select(['id', 'bookedOn', 'direction', 'isReversal', 'isReturn', 'amount', 'currency', 'entryRef', 'reason', 'payoutId'])
      .select(['fileId', 'problem', 'createdAt'])
      .where('merchantId', '=', merchantId)
      .where('problem', 'is not', null),
  toItem: (row): BankBookingView => ({
    id: row.id,
    bookedOn: row.bookedOn,
    direction: row.direction,
    kind: row.isReturn || row.isReversal ? 'return' : 'payment',
    amount: row.amount,
    currency: row.currency,
    bankReference: row.entryRef ?? null,
    reason: row.reason ?? null,
    payoutId: row.payoutId ?? null,
    fileId: row.fileId ?? null,
    // The query leaves out those without one.
    problem: row.problem ?? 'unknown_payment',
    createdAt: toIso(row.createdAt),
  }),
});

/** What banks booked that names something of ours, and from which nothing follows. Newest first. */
export const listUnmatchedBookings = (ctx: Context, page: PageQuery): Promise<Page<BankBookingView>> =>
  bookings(ctx, page, { merchantId: merchantOf(ctx) });

const imports = list({
  name: 'bank-statements',
  query: ({ merchantId }: Given<{ merchantId: string }>) =>
    db
      .selectFrom('bank_statement')
      .select(['id', 'kind', 'messageId', 'report', 'importedBy', 'createdAt'])
      .where('merchantId', '=', merchantId),
  toItem: ({ report, messageId, ...row }): BankImportView => ({
    ...row,
    createdAt: toIso(row.createdAt),
    messageId: messageId ?? null,
    ...shownReport(report),
    repeated: false,
    remaining: 0,
  }),
});

/** Newest first. */
export const listBankImports = (ctx: Context, page: PageQuery): Promise<Page<BankImportView>> =>
  imports(ctx, page, { merchantId: merchantOf(ctx) });
