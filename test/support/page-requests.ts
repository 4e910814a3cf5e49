import { randomUUID } from 'node:crypto';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import { anyAddress, type TestApi } from './api.ts';
import { mailedProof } from './people.ts';

/** Origin of the pages, where a test calls them without a browser: the name of the session cookie has its port. */
export const ORIGIN = 'http://localhost:3000';
const SESSION_COOKIE = 'tributary_session_3000';

export const cookiesOf = ({ token }: { token: string }) => ({ [SESSION_COOKIE]: token });

/** A request of a browser that has no script. With fields, it posts them. */
export const pageRequest =
  (api: Pick<TestApi, 'app'>) =>
  (url: string, fields: Record<string, string> | null = null, headers: Record<string, string> = {}) =>
    api.app.inject({
      url,
      remoteAddress: anyAddress(),
      headers: {
        host: new URL(ORIGIN).host,
        ...(fields && { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }),
        ...headers,
      },
      ...(fields && { method: 'POST' as const, payload: new URLSearchParams(fields).toString() }),
    });

/** The mail of the newest request of an address to join or to sign up. */
export const newestMail = async (api: Pick<TestApi, 'runtime'>, email: string) => {
  const found = await firstRow(
    api.runtime.context({ kind: 'system', name: 'test' }).em,
    sql<{ id: string }>`select id from sign_in where email = ${email} order by created_at desc limit 1`,
  );
  const mail = found && (await mailedProof(api, found.id));
  if (!mail) throw new Error('nothing was mailed');
  return { ...mail, path: mail.link.slice(ORIGIN.length) };
};

/** A form as a person sends it, over HTTP. */
export const postAs = (site: { origin: string }, { token }: { token: string }, path: string, fields: Record<string, string>) =>
  fetch(`${site.origin}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', cookie: `${SESSION_COOKIE}=${token}` },
    body: new URLSearchParams({ idempotencyKey: randomUUID(), ...fields }),
  });
