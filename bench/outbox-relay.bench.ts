import { OUTBOX_PRIORITIES } from '../src/contracts/outbox.ts';
import { type Child, startChild } from './support/child.ts';
import { options } from './support/options.ts';
import { report } from './support/report.ts';
import { compareRates } from './support/rounds.ts';
import { withStack } from './support/stack.ts';

const COLUMNS = `'payout.start', gen_random_uuid(), jsonb_build_object('payoutId', gen_random_uuid(), 'merchantId', gen_random_uuid(),
  'programId', gen_random_uuid(), 'affiliateId', gen_random_uuid(), 'affiliateCode', 'noraok', 'programName', 'Acme Partners',
  'amountMinor', '2000', 'currency', 'usd', 'rail', 'sandbox', 'method', 'paypal', 'createdAt', '2026-11-22T10:00:00.000Z')`;

/** P12: the relay draining rows, with a dispatch that does nothing, against a bare loop that picks batches of 100 rows. */
await withStack(
  async ({ env, database }, started) => {
    const count = options.rows(2_000, 100_000);
    const prepare = async (statements: readonly string[]): Promise<void> => {
      for (const statement of [...statements, 'checkpoint']) await database.query(statement);
    };
    await database.query(`create table anchor_outbox (seq bigint generated always as identity primary key, topic text not null,
    subject_id uuid not null, payload jsonb not null, picked boolean not null default false) with (fillfactor = 50)`);
    await database.query('create index anchor_outbox_free on anchor_outbox (seq) where not picked');
    await database.query('grant all on anchor_outbox to public');
    const relay = started(await startChild('outbox-relay.program.ts', env));
    const bare = started(await startChild('outbox-relay.anchor.ts', env));

    const drain = async (child: Child) => {
      const cpuBefore = await child.cpuMicros();
      const since = performance.now();
      const { drained } = await child.run<{ drained: number }>('drain');
      const seconds = (performance.now() - since) / 1000;
      if (drained !== count) throw new Error(`${drained} of ${count} rows were relayed`);
      return { perSecond: count / seconds, cpuMicros: ((await child.cpuMicros()) - cpuBefore) / count };
    };
    const ours = async () => {
      await prepare([
        'truncate outbox',
        // Every priority has rows, as in an installation that catches up.
        `insert into outbox (priority, topic, subject_id, payload)
        select n % ${Object.keys(OUTBOX_PRIORITIES).length}, ${COLUMNS} from generate_series(1, ${count}) n`,
        'vacuum analyze outbox',
      ]);
      return drain(relay);
    };
    const anchor = async () => {
      await prepare([
        'truncate anchor_outbox',
        `insert into anchor_outbox (topic, subject_id, payload) select ${COLUMNS} from generate_series(1, ${count}) n`,
        'vacuum analyze anchor_outbox',
      ]);
      return drain(bare);
    };
    await ours();
    await anchor();
    const { rates, cpu } = await compareRates(ours, anchor);
    report({
      name: 'P12',
      what: 'outbox relay with a dispatch that does nothing, against bare picks of 100 rows',
      unit: 'rows/s',
      floor: 0.05,
      goal: 0.25,
      ...rates,
      more: cpu,
    });
  },
  { pinned: false },
);
