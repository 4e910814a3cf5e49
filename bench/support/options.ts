import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    record: { type: 'boolean', default: false },
    /** Only checks that everything works; its figures are meaningless. */
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    payouts: { type: 'string' },
    rows: { type: 'string' },
    /** Folder for CPU profiles of the servers under test. */
    profile: { type: 'string' },
  },
  allowPositionals: true,
});

const number = (given: string | undefined, quick: number, usual: number): number =>
  given === undefined ? (values.quick ? quick : usual) : Number(given);

export const options = {
  record: values.record,
  quick: values.quick,
  rounds: number(values.rounds, 1, 5),
  seconds: number(values.seconds, 1, 5),
  warmUpSeconds: values.quick ? 1 : 8,
  /** Payouts of one round, where a benchmark counts payouts instead of seconds. */
  payouts: (quick: number, usual: number) => number(values.payouts, quick, usual),
  /** Outbox rows of one round. */
  rows: (quick: number, usual: number) => number(values.rows, quick, usual),
  profile: values.profile,
};
