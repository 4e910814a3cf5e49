import type { MountInput } from '../../api/mount.ts';
import { REQUESTS_PER_MINUTE } from '../../contracts/limits.ts';
import { openEmbed } from '../../domains/affiliates/index.ts';
import { findPortalSite } from '../../domains/programs/index.ts';
import { brandOf } from '../brand.ts';
import type { Embeds } from '../sessions.ts';
import type { Sites } from '../sites.ts';

// As stored now: nothing is remembered between requests.

/** What an embedded page may show, by its token. */
export const tokenEmbeds = ({ runtime }: Pick<MountInput, 'runtime'>): Embeds => ({
  async read(token, log) {
    const opened = await openEmbed(runtime.context({ kind: 'anonymous' }, log), token);
    if (!opened) return null;
    const { actor, merchantId, origins: frames } = opened;
    const acting = actor && { actor, ownerId: actor.ownerId, name: opened.programName, perMinute: REQUESTS_PER_MINUTE.free };
    return { token, merchantId, acting, brand: brandOf(opened), frames };
  },
});

/** Domains that programs have proved to own. */
export const programSites = ({ runtime }: Pick<MountInput, 'runtime'>): Sites => ({
  async find(host, log) {
    const found = await findPortalSite(runtime.context({ kind: 'anonymous' }, log), host);
    if (!found) return null;
    const { programId, merchantId, portalSlug, origin, since } = found;
    return { programId, merchantId, portalSlug, origin, since, brand: brandOf(found) };
  },
});
