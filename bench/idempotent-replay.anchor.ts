import Fastify from 'fastify';
import { openPool } from './support/pg.ts';

/** A replay without Tributary: one indexed read of a stored response, sent as it is. */
const { DATABASE_URL = '', PORT } = process.env;
const pool = openPool(DATABASE_URL, 20);

const app = Fastify({ logger: false });
app.get('/ready', async () => 'ready');
app.post('/api/v1/programs', async (_request, reply) => {
  const { rows } = await pool.query<{ status: number; body: string }>({
    name: 'stored',
    text: 'select status, body from idempotency_record where id = $1',
    values: [(await firstId).id],
  });
  const [stored] = rows;
  if (!stored) return reply.code(404).send();
  return reply.code(stored.status).header('content-type', 'application/json; charset=utf-8').send(stored.body);
});

/** Reads any stored response: all have the same size. */
const readFirstId = async (): Promise<{ id: Buffer }> => {
  const { rows } = await pool.query<{ id: Buffer }>('select id from idempotency_record limit 1');
  const [first] = rows;
  if (!first) throw new Error('no response is stored');
  return first;
};
const firstId = readFirstId();
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
