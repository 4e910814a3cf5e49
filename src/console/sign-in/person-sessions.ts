import type { MountInput } from '../../api/mount.ts';
import { AffiliateSessions } from '../../domains/auth/index.ts';
import { findSignedIn } from '../../domains/people/index.ts';
import { toPortalFields } from '../../domains/programs/index.ts';
import { ownBrandOf } from '../brand.ts';
import type { Sessions } from '../sessions.ts';

/** Who is signed in, by the cookie, as stored now: nothing is remembered between requests. */
export const personSessions = ({ runtime }: Pick<MountInput, 'runtime'>): Sessions => {
  const browsers = new AffiliateSessions(runtime);
  return {
    async read(request) {
      const token = request.cookie(SESSION_COOKIE);
      if (token === undefined) return null;
      const actor = { kind: 'anonymous', site: request.site ?? undefined } as const;
      const ctx = runtime.context(actor, request.log);
      const person = await findSignedIn(ctx, token);
      if (person?.affiliate) browsers.record(person.affiliate.actor, request);
      if (!person?.portal) return person;
      const { programName } = person.portal;
      return { ...person, ...ownBrandOf({ programName, ...toPortalFields(ctx, person.portal) }) };
    },
  };
};

export const SESSION_COOKIE = 'session';
