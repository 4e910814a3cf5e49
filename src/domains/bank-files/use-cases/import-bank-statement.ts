import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { MAX_BANK_MESSAGE_BYTES } from '../../../contracts/bank-files.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { execute, firstRow, toIso } from '../../../platform/database/sql.ts';
import { json } from '../../../platform/database/table.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { UnreadableFile } from '../../../platform/xml/read-xml.ts';
import { openFileRail, type StatementFile, type StatusFile } from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { applyStatement } from '../apply-statement.steps.ts';
import { applyStatusReport } from '../apply-status.steps.ts';
import { listFileAccounts } from '../bank-files.queries.ts';
import type { BankImportView } from '../bank-files.wire.ts';
import { emptyReport, type ImportReport, noteUnmatched, type StoredStatement, shownReport } from '../import-report.rules.ts';
import { type NamedFiles, noteNamed } from '../named-files.rules.ts';

export type FileAccount = Awaited<ReturnType<typeof listFileAccounts>>[number];

/** The bytes of a request. */
export const bytesOf = ({ content, gzip }: { content?: string | undefined; gzip?: string | undefined }): Buffer => {
  if (gzip === undefined) return Buffer.from(content ?? '', 'utf8');
  try {
    return gunzipSync(Buffer.from(gzip, 'base64'), { maxOutputLength: MAX_BANK_MESSAGE_BYTES + 1 });
  } catch {
    throw invalidField('gzip', 'is no gzip file of at most 10 MiB');
  }
};

const readWith = (ctx: Context, account: FileAccount, bytes: Uint8Array): StatusFile | StatementFile => {
  try {
    return openFileRail(account, ctx.clock).read(bytes);
  } catch (error) {
    if (error instanceof UnreadableFile) throw invalidField('content', error.message);
    throw error;
  }
};

/** What a file is about: each part with the account whose settings it is read by. */
interface Part {
  account: FileAccount;
  file: StatusFile | StatementFile;
}

/**
 * Imports a status file or a statement of a bank, 100 payments at a time. The same file twice changes nothing, and a repeat goes on with
 * what is left. Throws VALIDATION_ERROR for what is no such file, and OTHER_ACCOUNT when it is about none of the merchant's accounts.
 */
export const importBankStatement = (ctx: Context, { bytes }: { bytes: Uint8Array }): Promise<BankImportView> =>
  importBankFile(ctx, { merchantId: merchantOf(ctx), bytes });

/** As `importBankStatement`, for any merchant: for the operator, and for files that a program brings. */
export const importBankFile = async (
  ctx: Context,
  { merchantId, bytes }: { merchantId: string; bytes: Uint8Array },
): Promise<BankImportView> => {
  const accounts = await listFileAccounts(ctx, merchantId);
  const [first] = accounts;
  if (!first) throw conflict('OTHER_ACCOUNT', 'There is no bank account that the file could be about');
  const file = readWith(ctx, first, bytes);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const known = await findImport(ctx, merchantId, digest);
  if (known?.isApplied) return viewOf(known, { repeated: true, remaining: 0 });
  const part = { account: first, file };
  const { report, statements, named, remaining } = await apply(ctx, { part, accounts, bytes, merchantId });
  faultPoint('bank:before-import');
  const stored = await store(ctx, { merchantId, digest, file, report, statements, named, isApplied: remaining === 0 });
  return viewOf(stored, { repeated: false, remaining });
};

interface Importing {
  part: Part;
  accounts: readonly FileAccount[];
  bytes: Uint8Array;
  merchantId: string;
}

interface Applied {
  report: ImportReport;
  statements: StoredStatement[];
  named: NamedFiles;
  remaining: number;
}

const apply = async (ctx: Context, { part, accounts, bytes, merchantId }: Importing): Promise<Applied> => {
  const report = emptyReport();
  for (const id of part.file.unread) noteUnmatched(report, id, part.file.kind === 'status' ? 'unknown_payment' : 'unreadable');
  if (part.file.kind === 'statement') return applyStatements(ctx, { file: part.file, accounts, merchantId, report });
  const named: NamedFiles = new Map();
  let remaining = 0;
  for (const [at, { fileId }] of part.file.reports.entries()) {
    const about = await findFileByMessage(ctx, merchantId, fileId);
    const account = accounts.find(({ id }) => id === about?.railAccountId);
    if (!about || !account) {
      noteUnmatched(report, fileId, 'unknown_file');
      continue;
    }
    const read = account === part.account ? part.file : readWith(ctx, account, bytes);
    const said = read.kind === 'status' ? read.reports[at] : undefined;
    if (!said) continue;
    noteNamed(named, about.id, { state: said.whole?.state ?? null, payments: said.lines.length });
    remaining += await applyStatusReport(ctx, { about, said, report });
  }
  return { report, statements: [], named, remaining };
};

interface Statements {
  file: StatementFile;
  accounts: readonly FileAccount[];
  merchantId: string;
  report: ImportReport;
}

const applyStatements = async (ctx: Context, { file, accounts, merchantId, report }: Statements): Promise<Applied> => {
  const statements: StoredStatement[] = [];
  const named: NamedFiles = new Map();
  let remaining = 0;
  for (const { bookings, account: iban, ...statement } of file.statements) {
    const account = accounts.find((known) => openFileRail(known, ctx.clock).account === iban);
    if (!account) {
      noteUnmatched(report, statement.id, 'other_account');
      continue;
    }
    statements.push({ accountId: account.id, ...statement });
    remaining += await applyStatement(ctx, { merchantId, accountId: account.id, bookings, report, named });
  }
  if (statements.length === 0) throw conflict('OTHER_ACCOUNT', 'The file is about an account that is not connected here');
  return { report, statements, named, remaining };
};

const findFileByMessage = (ctx: Context, merchantId: string, messageId: string) =>
  firstRow(
    ctx.em,
    db
      .selectFrom('bank_file')
      .select(['id', 'railAccountId', 'messageId', 'status'])
      .where('merchantId', '=', merchantId)
      .where('messageId', '=', messageId),
  );

const findImport = (ctx: Context, merchantId: string, digest: string) =>
  firstRow(
    ctx.em,
    db
      .selectFrom('bank_statement')
      .select(['id', 'kind', 'messageId', 'isApplied', 'report', 'importedBy', 'createdAt'])
      .where('merchantId', '=', merchantId)
      .where('digest', '=', digest),
  );

type StoredImport = NonNullable<Awaited<ReturnType<typeof findImport>>>;

const viewOf = (
  {
    id,
    kind,
    messageId,
    report,
    importedBy,
    createdAt,
  }: Pick<StoredImport, 'id' | 'kind' | 'messageId' | 'report' | 'importedBy' | 'createdAt'>,
  { repeated, remaining }: Pick<BankImportView, 'repeated' | 'remaining'>,
): BankImportView => ({
  ...{ id, kind, messageId: messageId ?? null, importedBy, createdAt: toIso(createdAt), repeated, remaining },
  ...shownReport(report),
});

interface NewImport {
  merchantId: string;
  digest: string;
  file: StatusFile | StatementFile;
  report: ImportReport;
  statements: StoredStatement[];
  named: NamedFiles;
  isApplied: boolean;
}

/** After what it says was applied, which is safe to repeat: a process that died before this leaves no import that says more than happened. */
const store = (
  ctx: Context,
  { merchantId, digest, file, report, statements, named, isApplied }: NewImport,
): Promise<StoredImport> =>
  inTransaction(ctx, async (ctx) => {
    const messageId = file.id?.slice(0, 70) ?? null;
    const values = { report: json(report), statements: json(statements), isApplied };
    const row = {
      ...values,
      ...{ id: ctx.ids.next(), merchantId, digest, kind: file.kind, messageId },
      ...{ importedBy: actorName(ctx.actor), createdAt: ctx.clock.now().toISOString() },
    };
    await execute(
      ctx.em,
      db
        .insertInto('bank_statement')
        .values(row)
        .onConflict((on) => on.columns(['merchantId', 'digest']).doUpdateSet(values)),
    );
    const stored = await findImport(ctx, merchantId, digest);
    if (!stored) throw conflict('BUSY', 'The file is being imported');
    const { changed, unmatched } = report;
    const after = { kind: file.kind, messageId, changed, unmatched };
    await recordChange(ctx, { ownerId: merchantId, action: 'bank_statement.imported', resourceId: stored.id, after });
    if (!isApplied) return stored;
    for (const [resourceId, { state, payments }] of named) {
      const after = { message: messageId, state, payments };
      await recordChange(ctx, { ownerId: merchantId, action: 'bank_file.reported', resourceId, after });
    }
    return stored;
  });
