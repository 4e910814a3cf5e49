import { Pool as HttpPool } from 'undici';
import { signWebhook } from '../src/platform/crypto/standard-webhooks.ts';
import { openPool } from './support/pg.ts';
import { performRequests } from './support/program.ts';

/** One loop that picks 100 rows, signs and posts them over 32 kept-alive connections, and records them: nothing else. */
const { DATABASE_URL = '', RECEIVER_URL = '' } = process.env;
const pool = openPool(DATABASE_URL, 2);
const http = new HttpPool(RECEIVER_URL, { connections: 32, pipelining: 1 });
const secrets = [`whsec_${Buffer.alloc(32, 7).toString('base64')}`];

const PICK = `update anchor_delivery d set picked = true
  from (select id from anchor_delivery where not picked order by id limit 100 for update skip locked) free
  where d.id = free.id returning d.id, d.body`;
const RECORD = 'update anchor_delivery set status = 200 where id = any($1)';

interface Row {
  id: string;
  body: Buffer;
}

const post = async ({ id, body }: Row): Promise<void> => {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signWebhook({ id, timestampSeconds, body, secrets }),
  };
  const response = await http.request({ path: '/anchor', method: 'POST', headers, body });
  if (response.statusCode !== 200) throw new Error(`the receiver responded with ${response.statusCode}`);
  await response.body.dump();
};

const drain = async (): Promise<number> => {
  for (let drained = 0; ; ) {
    const { rows } = await pool.query<Row>({ name: 'pick', text: PICK, values: [] });
    if (rows.length === 0) return drained;
    await Promise.all(rows.map(post));
    await pool.query({ name: 'record', text: RECORD, values: [rows.map(({ id }) => id)] });
    drained += rows.length;
  }
};

performRequests(async () => ({ drained: await drain() }));
