import type { MailPage } from '../../../contracts/workflows/digests.ts';
import { DAY_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { readActivity } from '../activity.queries.ts';
import { type DigestMerchant, findWrittenDigests, listDigestMerchants } from '../digest-merchants.queries.ts';
import { type DigestWeek, lastWeek } from '../digest-week.rules.ts';
import { weeklyDigestMail } from '../mails/merchant-mails.ts';
import { countWaitingPayouts } from '../waiting-payouts.steps.ts';
import { writeMail } from '../write-mail.steps.ts';

/** After it, a digest that could not be written is left out: the next one is near, and compares with that week. */
const LATE_MS = DAY_MS;

/** Those of the page whose Monday morning has come and who have no digest of it yet. */
const findDue = async (ctx: Context, merchants: readonly DigestMerchant[]): Promise<[DigestMerchant, DigestWeek][]> => {
  const now = ctx.clock.now();
  const weeks = merchants.map((merchant): [DigestMerchant, DigestWeek] => [merchant, lastWeek(now, merchant.timeZone)]);
  const due = weeks.filter(([, { to }]) => now.getTime() - to.getTime() < LATE_MS);
  if (due.length === 0) return [];
  const written = await findWrittenDigests(
    ctx,
    'weekly_digest',
    due.map(([{ id }]) => id),
  );
  return due.filter(([{ id }, { name }]) => !written.has(`${id} ${name}`));
};

const writeDigest = async (ctx: Context, { id, email, ...merchant }: DigestMerchant, week: DigestWeek): Promise<boolean> => {
  const read = async (from: Date, to: Date) =>
    (await readActivity(ctx, { merchantIds: [id], period: { from: from.toISOString(), to: to.toISOString() } })).get(id) ?? [];
  const lines = await read(week.from, week.to);
  const before = await read(week.before, week.from);
  const waiting = await countWaitingPayouts(ctx, id, ctx.clock.now());
  const content = weeklyDigestMail({ ...merchant, from: week.from, to: week.to, lines, before, waiting });
  return writeMail(ctx, { kind: 'weekly_digest', subjectId: id, merchantId: id, recipient: email, period: week.name, content });
};

/** The digests of one page of merchants for whom it is Monday 08:00 or later, one per merchant and week. */
export const writeWeeklyDigests = (ctx: Context, { after, limit }: { after: string | null; limit: number }): Promise<MailPage> =>
  inTransaction(ctx, async (ctx) => {
    const merchants = await listDigestMerchants(ctx, { after, limit });
    let written = 0;
    for (const [merchant, week] of await findDue(ctx, merchants)) if (await writeDigest(ctx, merchant, week)) written++;
    return { written, after: merchants.length < limit ? null : (merchants.at(-1)?.id ?? null) };
  });
