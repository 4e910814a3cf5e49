import type { MountInput } from '../../api/mount.ts';
import { findPortalSite } from '../../domains/programs/index.ts';
import { brandOf } from '../brand.ts';
import type { Sites } from '../sites.ts';

/** Domains that programs have proved to own, as stored now: nothing is remembered between requests. */
export const programSites = ({ runtime }: Pick<MountInput, 'runtime'>): Sites => ({
  async find(host, log) {
    const found = await findPortalSite(runtime.context({ kind: 'anonymous' }, log), host);
    if (!found) return null;
    const { programId, merchantId, portalSlug, origin } = found;
    return { programId, merchantId, portalSlug, origin, brand: brandOf(found) };
  },
});
