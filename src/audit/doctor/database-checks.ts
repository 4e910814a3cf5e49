import type { Context } from '../../platform/context.ts';
import { type EncryptedColumn, findEnds } from '../../platform/crypto/reencrypt.ts';
import { readMigrationState } from '../../platform/database/migration-state.ts';
import { RELAY_APPLICATION_NAME } from '../../platform/database/orm.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { readOutboxHealth } from '../../platform/outbox/outbox-health.ts';
import { type Check, fail, ok, warn } from './check.ts';

const MAX_SKEW_MS = 1_000;
/** Retries of webhooks wait longer before anybody has to act. */
const maxOutboxAgeSeconds = (topic: string): number => (topic === 'webhook.deliver' ? 600 : 60);

/** The first check is the connection itself. */
export const databaseChecks = (ctx: Context, encryptedColumns: readonly EncryptedColumn[]): Check[] => [
  {
    name: 'postgres',
    advice: 'Check DATABASE_URL and that Postgres runs',
    async run() {
      const startedMs = performance.now();
      const row = await firstRow(ctx.em, sql<{ version: string }>`select current_setting('server_version') as version`);
      return ok(`PostgreSQL ${row?.version}, ${Math.round(performance.now() - startedMs)} ms`);
    },
  },
  {
    name: 'schema',
    advice: 'Run: node bin/migrate.ts',
    async run() {
      const { applied, pending, unknown } = await readMigrationState(ctx.em);
      if (pending.length > 0) return fail(`not applied: ${pending.join(', ')}. Run: node bin/migrate.ts`);
      if (unknown.length > 0) return warn(`the database is newer than this version: ${unknown.join(', ')}. Update this program`);
      return ok(`${applied} ${applied === 1 ? 'migration' : 'migrations'} applied`);
    },
  },
  {
    name: 'clock',
    advice: 'Check the database',
    async run() {
      const before = Date.now();
      const row = await firstRow(ctx.em, sql<{ ms: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`);
      const after = Date.now();
      // The time of the query lies between the two: only what is outside is certain.
      const skewMs = Math.round(Math.max(before - (row?.ms ?? 0), (row?.ms ?? 0) - after, 0));
      if (skewMs <= MAX_SKEW_MS) return ok(`within ${MAX_SKEW_MS} ms of the clock of Postgres`);
      return fail(`${skewMs} ms apart from the clock of Postgres: synchronize both machines (NTP), or signatures are rejected`);
    },
  },
  {
    name: 'encryption keys',
    advice: 'Check ENCRYPTION_KEYS',
    async run() {
      const { decrypted, failed } = await decryptSamples(ctx, encryptedColumns);
      if (failed.length === 0) return ok(`${decrypted} stored ${decrypted === 1 ? 'value' : 'values'} decrypted`);
      return fail(`cannot decrypt ${failed.join(', ')}: add the key that encrypted it to ENCRYPTION_KEYS`);
    },
  },
  {
    name: 'outbox',
    advice: 'Check the database',
    async run() {
      const topics = await readOutboxHealth(ctx);
      const waiting = topics.reduce((sum, topic) => sum + topic.waiting, 0);
      const failed = topics.reduce((sum, topic) => sum + topic.failed, 0);
      const oldestSeconds = topics.reduce((max, topic) => Math.max(max, topic.oldestSeconds), 0);
      const text = `${waiting} rows waiting, the oldest for ${Math.round(oldestSeconds)} s`;
      const late = topics.find(({ topic, oldestSeconds }) => oldestSeconds > maxOutboxAgeSeconds(topic));
      if (late) return fail(`${text} (${late.topic}). See "Outbox backlog" in docs/runbook.md`);
      if (failed > 0) return fail(`${text}; ${failed} failed: run npm run admin -- outbox list`);
      return ok(text);
    },
  },
  ...attentionChecks(ctx),
  {
    name: 'role relay',
    advice: 'Check the database',
    async run() {
      const row = await firstRow(
        ctx.em,
        sql<{ hosts: number }>`select count(distinct coalesce(client_addr::text, 'local'))::int as hosts from pg_stat_activity
          where datname = current_database() and application_name = ${RELAY_APPLICATION_NAME}`,
      );
      if (row?.hosts) return ok('a relay is connected to the database');
      return fail('no relay is connected to the database: start a worker with WORKER_ROLES=relay');
    },
  },
];

/** Decrypts the oldest and the newest value of each column: keys are replaced over time. Values are not returned. */
export const decryptSamples = async (
  ctx: Context,
  columns: readonly EncryptedColumn[],
): Promise<{ decrypted: number; failed: string[] }> => {
  let decrypted = 0;
  const failed = new Set<string>();
  for (const column of columns) {
    const { table, column: name } = column;
    for (const { id, ciphertext } of await findEnds(ctx, column)) {
      try {
        ctx.cipher.decrypt(ciphertext, { table, column: name, row: id });
        decrypted++;
      } catch {
        failed.add(`${table}.${name} (key ${ciphertext.split('.')[1]})`);
      }
    }
  }
  return { decrypted, failed: [...failed] };
};

/** What waits for the operator of the installation. */
const attentionChecks = (ctx: Context): Check[] => [
  {
    name: 'payments',
    advice: 'Check the database',
    async run() {
      const row = await firstRow(
        ctx.em,
        sql<{ isHeld: boolean; open: number }>`select exists (select from payments_hold where lifted_at is null) as "isHeld",
            (select count(*) from reconciliation_difference where status = 'open') as open`,
      );
      const { isHeld = false, open = 0 } = row ?? {};
      if (isHeld) return warn('all are on hold: compare the books, then run npm run admin -- resume-payouts, see docs/backup.md');
      return open === 0
        ? ok('none is known to differ from what providers list')
        : warn(`${open} ${open === 1 ? 'differs' : 'differ'} from what providers list: run npm run admin -- reconcile`);
    },
  },
  {
    name: 'sale events',
    advice: 'Check the database',
    async run() {
      const row = await firstRow(
        ctx.em,
        sql<{ open: number }>`select count(*) as open from sale_problem where resolved_at is null`,
      );
      if (!row?.open) return ok('none waits for a person');
      return warn(`${row.open} ${row.open === 1 ? 'waits' : 'wait'} for a person: run npm run admin -- list-sale-problems`);
    },
  },
  {
    name: 'mail',
    advice: 'Check the database',
    async run() {
      const row = await firstRow(
        ctx.em,
        sql<{ givenUp: number; failing: number; error: string | null }>`select
            (select count(*) from mail where status = 'given_up' and recipient is not null) as "givenUp",
            (select count(*) from mail where status = 'queued' and last_error is not null) as failing,
            (select last_error from mail where status = 'queued' and last_error is not null order by id desc limit 1) as error`,
      );
      const { givenUp = 0, failing = 0, error } = row ?? {};
      if (givenUp > 0) return warn(`${givenUp} given up: run npm run admin -- mail list`);
      return failing > 0
        ? warn(`${failing} tried without success (${error}): run npm run admin -- mail list`)
        : ok('none failed');
    },
  },
];
