import { z } from 'zod';
import { DOMAIN_RECORD } from '../../contracts/portals.ts';
import { toIsoOrNull } from '../../platform/database/sql.ts';
import { line, timestampOrNull } from '../../platform/http/schemas.ts';
import type { StoredPortal } from './program-portal.queries.ts';

interface HostWithToken {
  host: string;
  hostToken: string;
}

/** What the owner of a host sets to prove it. Below the host, so that the host itself may be an alias (CNAME). */
export const domainRecordOf = ({ host, hostToken }: HostWithToken) => ({
  type: 'TXT' as const,
  name: `${DOMAIN_RECORD}.${host}`,
  content: `tributary=${hostToken}`,
});

export const portalDomainSchema = z
  .object({
    host: z.string().describe('Name of the host, as browsers send it: lower case, and in ASCII'),
    isVerified: z.boolean().describe('Whether the pages of the program are shown under the name'),
    record: z
      .object({
        type: z.literal('TXT').describe('Type of the record'),
        name: z.string().describe('Where the record is set'),
        content: z.string().describe('What the record holds'),
      })
      .describe('DNS record that proves that the name is yours. Keep it: it is looked for once a day'),
    verifiedAt: timestampOrNull.describe('When the record was found first; null if it was not'),
    missingSince: timestampOrNull.describe(
      'Since when the record has been missing: seven days later, the pages are shown there no more. Null while it is there',
    ),
  })
  .meta({ id: 'PortalDomain' });

export type PortalDomainView = z.infer<typeof portalDomainSchema>;

export const setPortalDomainBody = z.strictObject({
  host: line(253).describe('Name of the host, such as `partners.acme.example`: one that is yours, and not one of this server'),
});

type StoredDomain = Pick<StoredPortal, 'host' | 'hostToken' | 'hostVerifiedAt' | 'hostMissingSince'>;

export const toPortalDomain = ({ host, hostToken, hostVerifiedAt, hostMissingSince }: StoredDomain): PortalDomainView | null =>
  host === null || hostToken === null
    ? null
    : {
        host,
        isVerified: hostVerifiedAt !== null,
        record: domainRecordOf({ host, hostToken }),
        verifiedAt: toIsoOrNull(hostVerifiedAt),
        missingSince: toIsoOrNull(hostMissingSince),
      };
