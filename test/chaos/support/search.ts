import { rows, sql } from '../../../src/platform/database/sql.ts';
import { operator } from './settled.ts';
import type { TestCluster } from './test-cluster.ts';

/** The encodings in which a secret could appear in a log or a table. */
export const formsOf = (secret: string): [string, string][] => {
  const bare = secret.replace(/^whsec_/, '');
  const bytes = Buffer.from(secret);
  const forms: [string, string][] = [
    ['plain', secret],
    ['hex', bytes.toString('hex')],
    ['base64', bytes.toString('base64').replace(/=+$/, '').slice(0, -1)],
    ['url', encodeURIComponent(secret)],
  ];
  // The key itself, without its prefix.
  return bare === secret ? forms : [...forms, ['bare', bare], ['bytes', Buffer.from(bare, 'base64').toString('hex')]];
};

/** Everything in every table as text, by table; bytes in hex and, where they are text, as text. */
export const dumpOf = async ({ runtime }: TestCluster): Promise<Record<string, string>> => {
  const { em } = operator(runtime);
  const tables = await rows(em, sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`);
  const dump: Record<string, string> = {};
  for (const { name } of tables) {
    const found = await rows(em, sql<{ line: string }>`select t::text as line from ${sql.table(name)} t`);
    const text = found.map((row) => row.line).join('\n');
    const read = [...text.matchAll(/\\x([0-9a-f]{2,})/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('utf8'));
    dump[name] = [text, ...read].join('\n');
  }
  return dump;
};

/** JSON in which the payloads, bytes in the history, are text. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, member) => {
    const isBytes = member?.type === 'Buffer' && Array.isArray(member.data);
    if (isBytes) return Buffer.from(member.data).toString('utf8');
    return member instanceof Uint8Array ? Buffer.from(member).toString('utf8') : member;
  });

/** The history of every workflow of this cluster, and what Temporal shows about it. */
export const workflowsOf = async ({ runtime, temporal }: TestCluster): Promise<{ count: number; text: string }> => {
  const ids = await rows(
    operator(runtime).em,
    sql<{ id: string }>`select 'payout/' || id as id from payout
      union all select 'webhook/' || id from webhook_delivery where not in_lane
      union all select ${runtime.config.TEMPORAL_QUEUE_PREFIX}::text || 'webhook-lane/' || lane from webhook_lane where lane < lanes`,
  );
  const texts: string[] = [];
  for (const { id } of ids) {
    const client = id.startsWith('payout/') ? temporal.clients.finance : temporal.clients.background;
    const handle = client.workflow.getHandle(id);
    const described = await handle.describe();
    texts.push(textOf(await handle.fetchHistory()), textOf(described.raw), (await described.staticSummary()) ?? '');
  }
  return { count: ids.length, text: texts.join('\n') };
};
