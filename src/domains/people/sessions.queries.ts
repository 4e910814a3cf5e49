import { REQUESTS_PER_MINUTE } from '../../contracts/limits.ts';
import { type Role, SCOPES_OF_ROLE, SESSION_IDLE_MS } from '../../contracts/people.ts';
import type { BillingTier } from '../../contracts/programs.ts';
import { AFFILIATE_SCOPES } from '../../contracts/scopes.ts';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import { type Context, type PersonActor, type ProgramSite, type Proof, siteOf } from '../../platform/context.ts';
import { hashToken } from '../../platform/crypto/token.ts';
import { execute, firstRow, rows, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { personOf } from './people.queries.ts';
import { type CompanyView, type SessionView, toSession } from './people.wire.ts';

/** Whom a person acts for, and how many requests a minute they may send. */
export interface PersonActing {
  actor: PersonActor;
  ownerId: string;
  /** Name of the company or of the affiliate. */
  name: string;
  /** Time zone of the company. */
  timeZone?: string;
  perMinute: number;
}

/** What the pages of a program look like, as stored. */
export interface OwnPortal {
  programName: string;
  portalName: string | null;
  portalTheme: string | null;
  logoId: string | null;
  logoWidth: number | null;
  logoHeight: number | null;
}

export interface SignedIn {
  personId: string;
  sessionId: string;
  name: string;
  locale: string | null;
  timezone: string | null;
  /** When the passkeys of the person no longer count, unless they keep them; null: nobody asked for it. */
  passkeysEndAt: Date | null;
  merchant: PersonActing | null;
  affiliate: PersonActing | null;
  /** Portal of the only program that the affiliate is in; null for none or several. */
  portal: OwnPortal | null;
}

interface SessionRow extends Omit<OwnPortal, 'programName'> {
  sessionId: string;
  personId: string;
  name: string;
  locale: string | null;
  timezone: string | null;
  passkeyAt: Date | string | null;
  codeAt: Date | string | null;
  hasPasskey: boolean;
  passkeysEndAt: Date | string | null;
  isStale: boolean;
  roleId: string | null;
  role: Role | null;
  merchantId: string | null;
  companyName: string | null;
  companyZone: string | null;
  tier: BillingTier | null;
  profileId: string | null;
  profileName: string | null;
  programName: string | null;
}

const notIdle = (ctx: Context): string => after(ctx.clock.now(), -SESSION_IDLE_MS).toISOString();

/** One statement for each page. A template: it takes the chosen role, else the first. */
const findRow = (ctx: Context, token: string): Promise<SessionRow | null> => {
  const now = ctx.clock.now();
  const site = siteOf(ctx);
  return firstRow(
    ctx.em,
    sql<SessionRow>`select s.id as "sessionId", p.id as "personId", p.name, p.locale, p.timezone,
        s.passkey_at as "passkeyAt", s.code_at as "codeAt",
        exists (select from passkey k where k.person_id = p.id and k.deleted_at is null) as "hasPasskey",
        (select due_at from passkey_replacement x where x.person_id = p.id and x.status = 'pending') as "passkeysEndAt",
        s.last_seen_at < ${after(now, -MINUTE_MS).toISOString()}::timestamptz as "isStale",
        r.id as "roleId", r.role, m.id as "merchantId", m.company_name as "companyName", m.timezone as "companyZone",
        m.billing_tier as tier,
        f.id as "profileId", f.name as "profileName", g.name as "programName", o.name as "portalName",
        o.accent_color as "portalTheme", o.logo_id as "logoId", o.logo_width as "logoWidth", o.logo_height as "logoHeight"
      from person_session s join person p on p.id = s.person_id
      left join lateral (select id, role, merchant_id from person_role where person_id = p.id and removed_at is null
        and (s.only_merchant_id is null or merchant_id = s.only_merchant_id)
        order by (merchant_id = s.merchant_id) desc nulls last, created_at limit 1) r on true
      left join merchant m on m.id = r.merchant_id
      left join affiliate_profile f on lower(f.email) = p.email and f.erased_at is null and s.only_merchant_id is null
      left join lateral (select (array_agg(a.program_id))[1] as program_id
        from (select program_id from affiliate where profile_id = f.id limit 2) a having count(*) = 1) only_one on true
      left join program g on g.id = only_one.program_id
      left join program_portal o on o.program_id = g.id
      where s.token_hash = ${hashToken(token)} and s.ended_at is null
        and s.program_id is not distinct from ${site?.programId ?? null}::uuid
        and (s.program_id is null or s.created_at >= ${site?.since.toISOString() ?? null}::timestamptz)
        and s.expires_at > ${now.toISOString()}::timestamptz and s.last_seen_at > ${notIdle(ctx)}::timestamptz`,
  );
};

/**
 * Who is signed in with a token; null for one that is unknown, was ended, has expired, or was given out under another name. What they may
 * do is read each time: under the domain of a program, they act as an affiliate of its merchant only.
 */
export const findSignedIn = async (ctx: Context, token: string): Promise<SignedIn | null> => {
  const row = await findRow(ctx, token);
  if (!row) return null;
  const { personId, sessionId, name, locale, timezone } = row;
  if (row.isStale) await markSeen(ctx, sessionId);
  const passkeysEndAt = dateOrNull(row.passkeysEndAt);
  const site = siteOf(ctx);
  const acting = { merchant: site ? null : merchantActing(row), affiliate: affiliateActing(row, site) };
  return { personId, sessionId, name, locale, timezone, passkeysEndAt, ...acting, portal: portalOf(row) };
};

const dateOrNull = (at: Date | string | null): Date | null => (at === null ? null : new Date(at));

const proofOf = ({ passkeyAt, codeAt, hasPasskey }: SessionRow): Proof => ({
  passkeyAt: dateOrNull(passkeyAt),
  codeAt: dateOrNull(codeAt),
  hasPasskey,
});

const portalOf = ({ programName, portalName, portalTheme, logoId, logoWidth, logoHeight }: SessionRow): OwnPortal | null =>
  programName === null ? null : { programName, portalName, portalTheme, logoId, logoWidth, logoHeight };

const merchantActing = (row: SessionRow): PersonActing | null => {
  const { personId, sessionId, roleId, role, merchantId, companyName, companyZone, tier } = row;
  if (roleId === null || role === null || merchantId === null) return null;
  const scopes = SCOPES_OF_ROLE[role];
  const actor = {
    kind: 'person',
    personId,
    sessionId,
    keyType: 'merchant',
    ownerId: merchantId,
    grantId: roleId,
    scopes,
    proof: proofOf(row),
  } as const;
  const perMinute = REQUESTS_PER_MINUTE[tier ?? 'free'];
  return { actor, ownerId: merchantId, name: companyName ?? '', timeZone: companyZone ?? 'UTC', perMinute };
};

const affiliateActing = (row: SessionRow, site: ProgramSite | null): PersonActing | null => {
  const { personId, sessionId, profileId, profileName, name } = row;
  if (profileId === null) return null;
  const acting = { keyType: 'affiliate', ownerId: profileId, grantId: profileId, scopes: AFFILIATE_SCOPES } as const;
  const only = site ? { onlyMerchantId: site.merchantId } : {};
  const actor = { kind: 'person', personId, sessionId, ...acting, proof: proofOf(row), ...only } as const;
  return { actor, ownerId: profileId, name: profileName ?? name, perMinute: REQUESTS_PER_MINUTE.free };
};

/** Written at most once a minute. */
const markSeen = async (ctx: Context, id: string): Promise<void> => {
  await execute(ctx.em, db.updateTable('person_session').set({ lastSeenAt: ctx.clock.now() }).where('id', '=', id));
};

/** Your own, newest first, without those that have ended. */
export const listSessions = async (ctx: Context): Promise<SessionView[]> => {
  const { personId, sessionId } = personOf(ctx);
  const found = await rows(
    ctx.em,
    db
      .selectFrom('person_session')
      .select(['id', 'device', 'lastSeenAt', 'expiresAt', 'createdAt'])
      .where('personId', '=', personId)
      .where('endedAt', 'is', null)
      .where('expiresAt', '>', ctx.clock.now().toISOString())
      .where('lastSeenAt', '>', notIdle(ctx))
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(100),
  );
  return found.map((row) => toSession({ ...row, isCurrent: row.id === sessionId }));
};

/** Companies that have given you a role, as far as your session opens them, in the order in which they did. */
export const listCompanies = async (ctx: Context): Promise<CompanyView[]> => {
  const { personId, sessionId, ownerId } = personOf(ctx);
  const found = await rows(
    ctx.em,
    db
      .selectFrom('person_role as r')
      .innerJoin('merchant as m', 'm.id', 'r.merchantId')
      .innerJoin('person_session as s', (join) =>
        join
          .onRef('s.personId', '=', 'r.personId')
          .on('s.id', '=', sessionId)
          .on(({ eb, or, ref }) => or([eb('s.onlyMerchantId', 'is', null), eb('s.onlyMerchantId', '=', ref('r.merchantId'))])),
      )
      .select(['r.merchantId', 'm.companyName', 'r.role'])
      .where('r.personId', '=', personId)
      .where('r.removedAt', 'is', null)
      .orderBy('r.createdAt')
      .orderBy('r.id')
      .limit(MAX_COMPANIES),
  );
  return found.map((row) => ({ ...row, isCurrent: row.merchantId === ownerId }));
};

const MAX_COMPANIES = 200;
