import { useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: the payout with all its fields', async () => {
  const { key, payoutId, affiliateId, programId, code } = await makePayout(api);
  const { name: programName } = (await api.call('GET', `/programs/${programId}`, { key })).data;
  const response = await api.call('GET', `/payouts/${payoutId}`, { key });
  expect(response.status).toBe(200);
  const { availableActions, ...record } = response.data;
  expect(availableActions).toContainEqual({ action: 'process', refusedBecause: null });
  expect(record).toEqual({
    id: payoutId,
    affiliateId,
    programId,
    affiliateCode: code,
    affiliateName: 'Ada Test',
    programName,
    amount: 2000,
    currency: 'usd',
    status: 'pending',
    method: 'paypal',
    rail: 'manual',
    notes: null,
    retryOf: null,
    retriedBy: null,
    replacedBy: null,
    payoutRunId: null,
    needsAttention: false,
    reviewReason: null,
    failureCode: null,
    railReason: null,
    fee: null,
    fees: [],
    references: { batch: null, item: null, transaction: null, file: null, booking: null },
    conversion: null,
    bankReference: null,
    paymentReference: expect.stringMatching(/^[A-Z0-9]+-\d+$/),
    executedAt: null,
    accountEnteredBy: null,
    accountEnteredAt: null,
    approvalRequiredAt: null,
    approvedBy: null,
    approvedAt: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    processingAt: null,
    completedAt: null,
    paidAt: null,
    failedAt: null,
    sendCount: null,
    situation: { state: 'to_pay', reason: null, waitsFor: 'finance', until: null, next: 'start_payment' },
  });
});
