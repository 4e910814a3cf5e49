import { DOMAIN_CHECK_MS } from '../../../contracts/portals.ts';
import { after } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { generateToken } from '../../../platform/crypto/token.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { changePortal, NO_HOST } from '../change-portal.steps.ts';
import { isHostTaken } from '../portal-domain.queries.ts';
import { domainRecordOf } from '../portal-domain.wire.ts';
import { portalHostOf } from '../portal-host.steps.ts';
import { getProgramPortal, type StoredPortal } from '../program-portal.queries.ts';

/** Sets another host, with another record; that of before ends at once. The same one stays as it is. */
export const setPortalDomain = (ctx: Context, { id, ...given }: { id: string; host: string }): Promise<StoredPortal> =>
  change(ctx, id, async (_ctx, before) => {
    const host = portalHostOf(ctx, given.host);
    return before.host === host ? null : { ...NO_HOST, host, hostToken: generateToken().token };
  });

/** Pages under the host end at once. Without a domain, nothing changes. */
export const removePortalDomain = (ctx: Context, { id }: { id: string }): Promise<StoredPortal> =>
  change(ctx, id, async (_ctx, before) => (before.host === null ? null : NO_HOST));

/** The host of now, and whether its record is there. */
export interface FoundRecord {
  host: string;
  hostToken: string;
  /** Null: no name server has said. */
  isFound: boolean | null;
}

/** Asks the name servers: not in a transaction. */
export const findDomainRecord = async (ctx: Context, { id }: { id: string }): Promise<FoundRecord> => {
  const { host, hostToken } = await getProgramPortal(ctx, id);
  if (host === null || hostToken === null) throw notFound('Domain');
  const record = domainRecordOf({ host, hostToken });
  const records = await ctx.settings.findTxtRecords(record.name);
  return { host, hostToken, isFound: records?.includes(record.content) ?? null };
};

/** DOMAIN_NOT_VERIFIED without the record, DOMAIN_TAKEN while another program has the host. */
export const verifyPortalDomain = (ctx: Context, { id, found }: { id: string; found: FoundRecord }): Promise<StoredPortal> =>
  change(ctx, id, async (ctx, before) => {
    const record = domainRecordOf(found);
    if (found.isFound === null) throw conflict('DNS_UNAVAILABLE', 'No name server has answered. Try again in some minutes');
    if (!found.isFound)
      throw conflict('DOMAIN_NOT_VERIFIED', 'The TXT record was not found. It can take hours until all name servers have it', {
        record,
      });
    if (before.host !== found.host || before.hostToken !== found.hostToken)
      throw conflict('DOMAIN_NOT_VERIFIED', 'The domain was changed while its record was looked for', { record });
    // If several programs have the host, the one that verifies first gets it.
    if (before.hostVerifiedAt === null && (await isHostTaken(ctx, found.host)))
      throw conflict('DOMAIN_TAKEN', 'Another program shows its pages under this name');
    const now = ctx.clock.now();
    const hostVerifiedAt = before.hostVerifiedAt ?? now;
    const { host, hostToken } = found;
    return { host, hostToken, hostVerifiedAt, hostCheckAt: after(now, DOMAIN_CHECK_MS), hostMissingSince: null };
  });

/** What the audit log shows. */
const auditedOf = ({ host, hostVerifiedAt }: Pick<StoredPortal, 'host' | 'hostVerifiedAt'>) => ({
  portalDomain: host,
  isPortalDomainVerified: hostVerifiedAt !== null,
});

const change = (ctx: Context, id: string, decide: Parameters<typeof changePortal>[2]['decide']): Promise<StoredPortal> =>
  changePortal(ctx, id, { auditedOf, decide });
