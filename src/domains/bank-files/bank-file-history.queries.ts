import { actionsOf } from '../../contracts/audit-log.ts';
import type { Context } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { toIso } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { db } from '../tables.ts';
import { getOwnFile } from './bank-files.queries.ts';
import type { BankFileEventType, BankFileEventView } from './bank-files.wire.ts';

const ACTIONS = actionsOf('bank_file');

/** What the audit log has of a file: it was made, downloaded, named by the bank, and discarded. */
const events = list({
  name: 'bank-file-history',
  query: ({ ownerId, fileId }: Given<{ ownerId: string; fileId: string }>) =>
    db
      .selectFrom('audit_log')
      .select(['id', 'action', 'actor', 'changes', 'createdAt'])
      .where('ownerId', '=', ownerId)
      .where('resourceId', '=', fileId)
      .where('action', '=', anyOf(ACTIONS)),
  toItem: ({ id, action, actor, changes, createdAt }): BankFileEventView => {
    const changedTo = (name: string): unknown => changes.find(({ field }) => field === name)?.new ?? null;
    const textOf = (name: string): string | null => (changedTo(name) === null ? null : String(changedTo(name)));
    return {
      id,
      type: action.slice('bank_file.'.length) as BankFileEventType,
      by: actor,
      message: textOf('message'),
      state: textOf('state'),
      payments: changedTo('payments') === null ? null : Number(changedTo('payments')),
      createdAt: toIso(createdAt),
    };
  },
});

/** Newest first. Throws NOT_FOUND and FORBIDDEN. */
export const listBankFileHistory = async (ctx: Context, id: string, page: PageQuery): Promise<Page<BankFileEventView>> => {
  const { merchantId } = await getOwnFile(ctx, id);
  return events(ctx, page, { ownerId: merchantId, fileId: id });
};
