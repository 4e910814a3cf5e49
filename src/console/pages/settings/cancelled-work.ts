import type { CancelledWork } from '../../../contracts/approvals.ts';

const WORDS: Readonly<Record<CancelledWork['kind'], readonly [one: string, many: string]>> = {
  payout: ['payout', 'payouts'],
  payout_run: ['payout run', 'payout runs'],
  adjustment: ['adjustment', 'adjustments'],
  pending_change: ['change of the approval rules', 'changes of the approval rules'],
  person_invite: ['invite', 'invites'],
  passkey_replacement: ['replacement of passkeys', 'replacements of passkeys'],
};

/** ". Cancelled: 2 payouts, 1 invite", or nothing. */
export const cancelledText = (cancelled: readonly Pick<CancelledWork, 'kind'>[]): string => {
  const counts = new Map<CancelledWork['kind'], number>();
  for (const { kind } of cancelled) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  if (counts.size === 0) return '';
  return `. Cancelled: ${[...counts].map(([kind, count]) => `${count} ${WORDS[kind][count === 1 ? 0 : 1]}`).join(', ')}`;
};
