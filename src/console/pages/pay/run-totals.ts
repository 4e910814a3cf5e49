import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import type { PageCall } from '../../page.ts';

export type RunData = OperationSuccess<'getPayoutRun'>['data'];
type Run = OperationSuccess<'listPayoutRuns'>['data'][number];

/** Totals of a run by currency. */
export const sumOf = (totals: RunData['totals']): { items: number; total: Record<string, number> } => {
  const total: Record<string, number> = {};
  for (const { currency, amount } of totals) total[currency] = (total[currency] ?? 0) + amount;
  return { items: totals.reduce((sum, { items }) => sum + items, 0), total };
};

export const runName = ({ name, createdAt }: Pick<Run, 'name' | 'createdAt'>, { format }: Pick<PageCall, 'format'>): string =>
  name ?? `Payout run of ${format.companyDay(createdAt)}`;

export const isUnfinished = ({ status }: Pick<Run, 'status'>): boolean => status !== 'completed' && status !== 'cancelled';
