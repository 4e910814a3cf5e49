import type { Violation } from './violations.ts';

const OLD = `now() - interval '40 days'`;

/** Inserts an application of a new person to the program of the payout `ok`. */
const application = (values: string): string =>
  `insert into application (id, merchant_id, program_id, profile_id, affiliate_id, status, source, risk_notes, created_at, due_at,
     decided_at, updated_at)
   select gen_random_uuid(), merchant_id, program_id, gen_random_uuid(), gen_random_uuid(), ${values}, now() from payout limit 1`;

export const APPLICATION_VIOLATIONS: Violation[] = [
  {
    invariant: 'I7',
    name: 'an application that nobody decided, and that did not expire',
    sql: () => [application(`'pending', 'api', '{}', ${OLD}, now() - interval '1 hour', null`)],
    finding: /still pending after its deadline/,
  },
  {
    invariant: 'I7',
    name: 'a pending application without a workflow',
    sql: () => [application(`'pending', 'api', '{}', ${OLD}, now() + interval '1 day', null`)],
    finding: /is open but its workflow is missing/,
  },
  {
    invariant: 'I8',
    name: 'an approved application without a membership',
    sql: () => [application(`'approved', 'api', '{}', ${OLD}, now(), ${OLD}`)],
    finding: /approved without a membership/,
  },
  {
    invariant: 'I8',
    name: 'a membership of a declined applicant',
    sql: () => [`update application set status = 'declined' where affiliate_id in (select affiliate_id from payout)`],
    finding: /is declined and has a membership/,
  },
  {
    invariant: 'I8',
    name: 'an application that expired too early',
    sql: () => [application(`'declined', 'api', '{}', ${OLD}, now(), ${OLD}`)],
    finding: /expired before its deadline/,
  },
  {
    invariant: 'I8',
    name: 'a decision before the application',
    sql: () => [application(`'withdrawn', 'api', '{}', now(), now(), ${OLD}`)],
    finding: /withdrawn with a decision at/,
  },
  {
    invariant: 'I8',
    name: 'an application after a block',
    sql: () => [
      `with first as (${application(`'blocked', 'api', '{}', ${OLD}, now(), ${OLD}`)} returning *)
       insert into application (id, merchant_id, program_id, profile_id, affiliate_id, status, source, risk_notes, created_at, due_at,
         decided_at, updated_at)
       select gen_random_uuid(), merchant_id, program_id, profile_id, gen_random_uuid(), 'withdrawn', source, risk_notes, now(), due_at,
         now(), now() from first`,
    ],
    finding: /submitted after a block/,
  },
  {
    invariant: 'I8',
    name: 'an application while another one waited',
    sql: () => [
      `with first as (${application(`'pending', 'api', '{}', ${OLD}, now(), null`)} returning *)
       insert into application (id, merchant_id, program_id, profile_id, affiliate_id, status, source, risk_notes, created_at, due_at,
         decided_at, updated_at)
       select gen_random_uuid(), merchant_id, program_id, profile_id, gen_random_uuid(), 'withdrawn', source, risk_notes, now(), due_at,
         now(), now() from first`,
    ],
    finding: /submitted while another one waited/,
  },
];
