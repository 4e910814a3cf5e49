import type { SaleProblemReason } from '../../../contracts/conversions.ts';
import { type Context, merchantOf } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { rows, toIso } from '../../../platform/database/sql.ts';
import { list } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { db } from '../../tables.ts';
import { type SaleProblemView, toSaleProblem } from './sale-problems.wire.ts';

export const SALE_PROBLEM = [
  'id',
  'eventId',
  'eventType',
  'objectId',
  'saleId',
  'reason',
  'fields',
  'detail',
  'createdAt',
  'resolvedAt',
] as const;

const problems = (isOpen: boolean | undefined) =>
  list({
    name: 'sale-problems',
    query: ({ merchantId }: Given<{ merchantId: string }>) => {
      const query = db.selectFrom('sale_problem').select(SALE_PROBLEM).where('merchantId', '=', merchantId);
      // Not a parameter, which could not use the partial index.
      return isOpen === undefined ? query : query.where('resolvedAt', isOpen ? 'is' : 'is not', null);
    },
    toItem: toSaleProblem,
  });

const allProblems = problems(undefined);
const openProblems = problems(true);
const closedProblems = problems(false);

/** Events of payment systems that a person of the merchant has to look at, newest first. */
export const listSaleProblems = (
  ctx: Context,
  { open, ...page }: PageQuery & { open?: boolean | undefined },
): Promise<Page<SaleProblemView>> => {
  const read = open === undefined ? allProblems : open ? openProblems : closedProblems;
  return read(ctx, page, { merchantId: merchantOf(ctx) });
};

export interface OpenSaleProblem {
  id: string;
  merchantId: string;
  eventId: string;
  eventType: string;
  objectId: string | null;
  reason: SaleProblemReason;
  fields: string[] | null;
  detail: string | null;
  createdAt: string;
}

/** Problems of all merchants that nobody closed, oldest first. */
export const listOpenSaleProblems = async (ctx: Context, { limit }: { limit: number }): Promise<OpenSaleProblem[]> => {
  const open = await rows(
    ctx.em,
    db
      .selectFrom('sale_problem')
      .select(['id', 'merchantId', 'eventId', 'eventType', 'objectId', 'reason', 'fields', 'detail', 'createdAt'])
      .where('resolvedAt', 'is', null)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit),
  );
  return open.map((problem) => ({ ...problem, createdAt: toIso(problem.createdAt) }));
};
