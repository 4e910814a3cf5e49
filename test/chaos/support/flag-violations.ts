import type { Violation } from './violations.ts';

const flag =
  (name: string, change: string): NonNullable<Violation['sql']> =>
  (ids) => [`update flag set ${change} where id = '${ids[name]}'`];

/** Violations of an open flag that holds a payable commission, and of a confirmed one. */
export const FLAG_VIOLATIONS: Violation[] = [
  {
    invariant: 'I7',
    name: 'a flag past its deadline',
    sql: flag('flag', `due_at = now() - interval '1 hour'`),
    finding: /past its deadline/,
  },
  {
    invariant: 'I7',
    name: 'a confirmed flag whose commissions are not rejected',
    sql: flag(
      'flag',
      `status = 'confirmed', resolved_at = now() - interval '1 hour', resolved_by = id, updated_at = now() - interval '1 hour'`,
    ),
    finding: /commissions are not rejected/,
  },
  {
    invariant: 'I7',
    name: 'a flag without a workflow',
    sql: (ids) => [`update flag set id = gen_random_uuid() where id = '${ids['flag']}'`],
    finding: /is open but its workflow is missing/,
  },
  {
    invariant: 'I7',
    name: 'a pending payout with a commission that a flag holds',
    sql: (ids) => [
      `update payout set status = 'pending' where id = '${ids['ok']}'`,
      `update conversion set included_in = '${ids['ok']}' where id = '${ids['held']}'`,
    ],
    finding: /pending although a flag holds/,
  },
  {
    invariant: 'I8',
    name: 'a flag that was resolved by nobody',
    sql: flag('confirmed', 'resolved_by = null'),
    finding: /by nobody/,
  },
  {
    invariant: 'I8',
    name: 'a flag that was resolved by a person and by the deadline',
    sql: flag('confirmed', `deadline_action = 'confirm'`),
    finding: /by a person with the deadline action confirm/,
  },
  {
    invariant: 'I8',
    name: 'an open flag with a deadline action that resolves',
    sql: flag('flag', `deadline_action = 'dismiss'`),
    finding: /open although its deadline action/,
  },
  {
    invariant: 'I8',
    name: 'a flag that was resolved before it was created',
    sql: flag('confirmed', `created_at = now() + interval '1 day'`),
    finding: /resolved before it was created/,
  },
  {
    invariant: 'I8',
    name: 'a flag with a wrong number of conversions',
    sql: flag('flag', 'conversion_count = 7'),
    finding: /1 linked conversions instead of 7/,
  },
  {
    invariant: 'I8',
    name: 'a settled flag with a commission that is not rejected',
    sql: (ids) => [`update conversion set status = 'approved' where id = '${ids['rejected']}'`],
    finding: /a commission is not rejected/,
  },
  {
    invariant: 'I8',
    name: 'a commission that was approved on hold',
    sql: (ids) => [`update conversion set approved_at = now() + interval '1 hour' where id = '${ids['held']}'`],
    finding: /approved while flag/,
  },
  {
    invariant: 'I8',
    name: 'a commission that was sent on hold',
    sql: (ids) => [
      `insert into payout_item (payout_id, kind, subject_id, amount, active) values
       ('${ids['ok']}', 'commission', '${ids['held']}', 1, false)`,
      `update payout_attempt set created_at = now() + interval '1 hour' where payout_id = '${ids['ok']}'`,
    ],
    finding: /first attempt while flag/,
  },
];
