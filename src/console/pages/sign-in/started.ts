import { HOME, type Redirect, redirect } from '../../page.ts';
import { SESSION_COOKIE } from '../../sign-in/person-sessions.ts';
import { ownPath } from '../../url.ts';

/** A browser keeps the cookie no longer than the session can last. */
const MAX_AGE_SECONDS = 14 * 24 * 60 * 60;

/** Signed in: to the page that was asked for, else to the first page of whoever it is. */
export const started = ({ token, home }: { token: string; home: 'merchant' | 'affiliate' }, next = ''): Redirect =>
  redirect(ownPath(next, HOME[home]), { cookies: { [SESSION_COOKIE]: { value: token, maxAgeSeconds: MAX_AGE_SECONDS } } });
