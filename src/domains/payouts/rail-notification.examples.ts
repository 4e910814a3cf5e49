export const railNotificationExample = {
  id: 'ntf_7c31',
  type: 'transfer.paid',
  occurredAt: '2026-01-15T09:30:04Z',
  transfer: { id: 'tr_2f1d3b6c', idempotencyKey: 'payout-0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e51-1', failureCode: null },
};
