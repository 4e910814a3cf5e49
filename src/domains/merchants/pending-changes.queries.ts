import type { PendingChangeStatus } from '../../contracts/approvals.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { db } from '../tables.ts';
import { type PendingChangeView, toPendingChange } from './pending-changes.wire.ts';

const changes = list({
  name: 'pending-changes',
  query: ({ merchantId, status }: Given<{ merchantId: string; status: PendingChangeStatus | undefined }>) => {
    const query = db
      .selectFrom('pending_change')
      .select(['id', 'setting', 'oldValue', 'newValue', 'status', 'createdBy', 'createdAt', 'dueAt', 'decidedBy', 'decidedAt'])
      .where('merchantId', '=', merchantId);
    return status ? query.where('status', '=', status) : query;
  },
  toItem: toPendingChange,
});

/** Newest first, with those that were decided. */
export const listPendingChanges = (
  ctx: Context,
  { status, ...page }: PageQuery & { status?: PendingChangeStatus | undefined },
): Promise<Page<PendingChangeView>> => changes(ctx, page, { merchantId: merchantOf(ctx), status });
