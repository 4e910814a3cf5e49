import type { Violation } from './violations.ts';

/** Violations in the ledger entries, balances and items, made by statements. */
export const LEDGER_VIOLATIONS: Violation[] = [
  {
    invariant: 'I3',
    name: 'half of a transfer',
    sql: () => [`delete from ledger_entry where id = (select min(id) from ledger_entry)`],
    finding: /sums to zero/,
  },
  {
    invariant: 'I3',
    name: 'a balance without entries',
    sql: () => [`update ledger_balance set paid = paid + 1`],
    finding: /sum of its entries/,
  },
  {
    invariant: 'I3',
    name: 'a completed payout without its entries',
    sql: () => [`delete from ledger_entry where kind = 'payout_completed'`],
    finding: /posted as/,
  },
  {
    invariant: 'I3',
    name: 'a paid commission that could be paid again',
    sql: () => [`update conversion set included_in = null`],
    finding: /marked as in payout/,
  },
  {
    invariant: 'I3',
    name: 'a conversion that the sums do not know',
    sql: (ids) => [`update conversion set refunded = 1 where id = '${ids['held']}'`],
    finding: /differ from conversions: .* revenue 1, commission 0/,
  },
  {
    invariant: 'I3',
    name: 'a sum of all programs that is not that of the programs',
    sql: () => [`update conversion_sum set revenue = revenue + 1 where program_id = '00000000-0000-0000-0000-000000000000'`],
    finding: /differ from all programs, (?:all|day|quarter)/,
  },
  {
    invariant: 'I3',
    name: 'items with other amounts',
    sql: () => [`update payout_item set amount = amount + 1`],
    finding: /sum of items/,
  },
  {
    invariant: 'I3',
    name: 'a payout that gave its items away and is not deducted',
    sql: (ids) => [`update payout_item set active = false where payout_id = '${ids['ok']}'`],
    finding: /deducted 0 instead of 2000/,
  },
  {
    invariant: 'I3',
    name: 'a deduction for a payout that kept its items',
    sql: (ids) => [
      `insert into commission_adjustment (id, affiliate_id, payout_id, amount, created_at)
       select gen_random_uuid(), affiliate_id, id, -1, now() from payout where id = '${ids['ok']}'`,
    ],
    finding: /deducted 1 instead of 0/,
  },
  {
    invariant: 'I3',
    name: 'a manual adjustment that was not booked',
    sql: (ids) => [
      `insert into commission_adjustment (id, affiliate_id, kind, amount, note, created_by, created_at)
       select gen_random_uuid(), affiliate_id, 'bonus', 1, 'x', 'system:test', now() from payout where id = '${ids['ok']}'`,
    ],
    finding: /booked once: booked {2}instead of 1/,
  },
  {
    invariant: 'I3',
    name: 'a floor that no open adjustment explains',
    sql: () => [`update ledger_balance set open_adjustments = open_adjustments + 1`],
    finding: /open adjustments are those in no payout/,
  },
  {
    invariant: 'I4',
    name: 'a balance below its floor',
    sql: () => [`alter table ledger_balance drop constraint ledger_balance_check`, `update ledger_balance set payable = -1`],
    finding: /no balance below its floor/,
  },
  {
    invariant: 'I4',
    name: 'a balance that was below zero for a moment',
    sql: () =>
      [-5, 5].map(
        (
          amount,
        ) => `insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
          select gen_random_uuid(), 'refund', 'pending', affiliate_id, program_id, merchant_id, currency, ${amount}, affiliate_id, current_date, now() from ledger_balance limit 1`,
      ),
    finding: /pending was once -\d+/,
  },
];
