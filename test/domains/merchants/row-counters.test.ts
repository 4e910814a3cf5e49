import { createRequire } from 'node:module';
import { useOwnApi } from '../../support/api.ts';
import { makePayable, sendSale } from '../../support/factories.ts';

const api = useOwnApi();

interface Connection {
  connect(): Promise<void>;
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
}
/** The driver that the ORM uses; it ships no types. */
const { Client } = createRequire(import.meta.url)('pg') as {
  Client: new (options: { connectionString: string; options: string }) => Connection;
};

const connect = async (): Promise<{ connection: Connection; pid: number }> => {
  // A transaction that waits for another one fails.
  const connection = new Client({ connectionString: api.runtime.config.DATABASE_URL, options: '-c lock_timeout=2000' });
  await connection.connect();
  const { rows } = await connection.query('select pg_backend_pid() as pid');
  return { connection, pid: Number(rows[0]?.['pid']) };
};

/** Two connections whose processes have numbers that are equal modulo 64. */
const connectTwice = async (): Promise<[Connection, Connection]> => {
  const { connection, pid } = await connect();
  for (let tries = 0; tries < 1_000; tries++) {
    const other = await connect();
    if ((other.pid - pid) % 64 === 0) return [connection, other.connection];
    await other.connection.end();
  }
  throw new Error('no such connection');
};

it('transactions that change the same totals in different orders do not wait for each other, whichever connections they have', async () => {
  const [one, other] = [await makePayable(api), await makePayable(api)];
  const sell = async ({ program, code }: typeof one) => (await sendSale(api, program, { referralCode: code })).data.conversionId;
  const [soldByOne, soldByOther] = [await sell(one), await sell(other)];
  const [first, second] = await connectTwice();
  const reject = (connection: Connection, id: string) =>
    connection.query(`update conversion set status = 'rejected' where id = $1`, [id]);
  try {
    for (const connection of [first, second]) await connection.query('begin');
    await reject(first, one.conversionId);
    await reject(second, other.conversionId);
    await Promise.all([reject(first, soldByOther), reject(second, soldByOne)]);
    for (const connection of [first, second]) await connection.query('commit');
  } finally {
    for (const connection of [first, second]) await connection.end();
  }
  for (const { key } of [one, other]) {
    const totalOf = async (query: Record<string, string>) => (await api.call('GET', '/conversions', { key, query })).meta.total;
    expect([await totalOf({}), await totalOf({ status: 'approved' }), await totalOf({ status: 'rejected' })]).toEqual([2, 0, 2]);
  }
});
