import type { TestApi } from '../../support/api.ts';
import { makePayable } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

/** A merchant whose affiliate made this revenue today, in minor units. */
export const makeSeller = (api: TestApi, amount: number, program: Record<string, unknown> = {}) =>
  makePayable(api, { amount, program });

/** Moves the end of the grace period of an overdue payment: negative hours are in the past. */
export const setGraceEnd = async (api: TestApi, merchantId: string, inHours: number | null): Promise<void> => {
  const at = inHours === null ? null : new Date(Date.now() + inHours * 3_600_000).toISOString();
  await rowsOf(api, 'update merchant set grace_ends_at = ? where id = ?', [at, merchantId]);
};
