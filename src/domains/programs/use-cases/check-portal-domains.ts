import { DOMAIN_CHECK_MS, DOMAIN_GRACE_MS } from '../../../contracts/portals.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after, HOUR_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import { type DueDomain, listDueDomains } from '../portal-domain.queries.ts';
import { domainRecordOf } from '../portal-domain.wire.ts';

/**
 * Looks again for the records of verified domains, of each once a day; returns of how many. Where no server answers, an hour later: a
 * record is missing only if a server said so. Several processes at a time do no harm.
 */
export const checkPortalDomains = async (ctx: Context): Promise<number> => {
  const due = await listDueDomains(ctx);
  for (const domain of due) await checkDomain({ ...ctx, em: ctx.em.fork() as Context['em'] }, domain);
  return due.length;
};

const checkDomain = async (ctx: Context, domain: DueDomain): Promise<void> => {
  const record = domainRecordOf(domain);
  const records = await ctx.settings.findTxtRecords(record.name);
  const now = ctx.clock.now();
  if (records === null) return save(ctx, domain, { hostCheckAt: after(now, HOUR_MS) });
  const hostCheckAt = after(now, DOMAIN_CHECK_MS);
  if (records.includes(record.content)) return save(ctx, domain, { hostCheckAt, hostMissingSince: null });
  const hostMissingSince = domain.hostMissingSince === null ? now : new Date(domain.hostMissingSince);
  if (after(hostMissingSince, DOMAIN_GRACE_MS) > now) return save(ctx, domain, { hostCheckAt, hostMissingSince });
  await endDomain(ctx, domain);
};

/** Matches the domain as it was looked for, unless it was changed, removed or ended in the meantime. */
const unchanged = ({ programId, hostToken }: DueDomain) =>
  db
    .updateTable('program_portal')
    .where('programId', '=', programId)
    .where('hostToken', '=', hostToken)
    .where('hostVerifiedAt', 'is not', null);

const save = async (
  ctx: Context,
  domain: DueDomain,
  set: { hostCheckAt: Date; hostMissingSince?: Date | null },
): Promise<void> => {
  await execute(ctx.em, unchanged(domain).set(set));
};

/** Does nothing either if the record was found again in the meantime. */
const endDomain = (ctx: Context, domain: DueDomain): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const { programId: resourceId, merchantId: ownerId } = domain;
    const ended = unchanged(domain).where('hostMissingSince', 'is not', null).set({ hostVerifiedAt: null, hostCheckAt: null });
    if ((await execute(ctx.em, ended)) === 0) return;
    const [before, after] = [{ isPortalDomainVerified: true }, { isPortalDomainVerified: false }];
    await recordChange(ctx, { ownerId, action: 'program.updated', resourceId, before, after });
  });
