import { SESSION_MS } from '../../../contracts/people.ts';
import { notice } from '../../components/blocks.ts';
import { type Html, html, nothing } from '../../html.ts';
import { HOME, type PageCall, type Redirect, redirect } from '../../page.ts';
import { SESSION_COOKIE } from '../../sign-in/person-sessions.ts';
import { ownPath } from '../../url.ts';

/** What the browser calls itself, for the list of sessions. */
export const deviceOf = ({ request }: Pick<PageCall, 'request'>): string | undefined =>
  request.userAgent
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, 200) || undefined;

/** Signed in: to the page that was asked for, else to the first page of whoever it is. The cookie lasts as long as a session can. */
export const started = ({ token, home }: { token: string; home: 'merchant' | 'affiliate' }, next = ''): Redirect =>
  redirect(ownPath(next, HOME[home]), { cookies: { [SESSION_COOKIE]: { value: token, maxAgeSeconds: SESSION_MS / 1_000 } } });

/** Whom a mailed link signs in, and whom it signs out in this browser: a link of somebody else must not go unnoticed. */
export const whoSignsIn = async (call: PageCall<'getSignInLink'>): Promise<Html> => {
  const { texts, person, query } = call;
  const link = await call.attempt('getSignInLink', { query: { token: query['token'] ?? '' } });
  if ('error' in link) return nothing;
  const { signIn } = texts;
  return html`<p>${signIn.signsInAs(link.data.email)}</p>${person && notice(signIn.replaces(person.name), 'warning')}`;
};

/** Not signed in: what was wrong is said on another page. */
export const rejected = (to: string, flash: string): Redirect => redirect(to, { flash, tone: 'bad' });
