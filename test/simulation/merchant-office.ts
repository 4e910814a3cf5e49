import { z } from 'zod';
import { explain } from '../../src/local/demo/api-client.ts';
import { joinSomebody, welcome } from './join.ts';
import { chance, count, isDue, type Merchant, type World } from './world.ts';

const JOIN_EVERY_DAYS = 9;
const APPLICATIONS_EVERY_DAYS = 2;
const FLAGS_EVERY_DAYS = 3;
const ADJUST_EVERY_DAYS = 8;
const BLOCK_EVERY_DAYS = 20;
const BLOCK_DAYS = 8;
const FLAG_EVERY_DAYS = 17;

/** What a merchant decides on a day. `isOpen`: new affiliates join, and people are flagged, blocked and given bonuses. */
export const workInOffice = async (world: World, merchant: Merchant, isOpen: boolean): Promise<void> => {
  if (isDue(world, merchant, APPLICATIONS_EVERY_DAYS)) await decideApplications(world, merchant);
  if (isDue(world, merchant, FLAGS_EVERY_DAYS)) await resolveFlags(world, merchant);
  await unblock(world, merchant);
  if (!isOpen) return;
  if (isDue(world, merchant, JOIN_EVERY_DAYS)) await joinSomebody(world, merchant);
  if (isDue(world, merchant, ADJUST_EVERY_DAYS)) await adjust(world, merchant);
  if (isDue(world, merchant, FLAG_EVERY_DAYS)) await flagSomebody(world, merchant);
  if (isDue(world, merchant, BLOCK_EVERY_DAYS)) await blockSomebody(world, merchant);
};

/** A write that the state of the world may forbid: returns whether it was done. */
export const attempt = async (world: World, { client }: Merchant, path: string, body?: unknown): Promise<boolean> => {
  const response = await client.request('POST', path, body);
  if (response.status < 300) return true;
  if (response.status !== 409) throw new Error(explain('POST', path, response));
  count(world, `409 ${response.error?.details?.reason}`);
  return false;
};

const applicationShape = z.object({ id: z.string(), affiliateId: z.string() });

const decideApplications = async (world: World, merchant: Merchant): Promise<void> => {
  const { client, plan, programId, random, applicants } = merchant;
  const waiting = await client.get(z.array(applicationShape), `/applications?programId=${programId}&status=pending&limit=100`);
  for (const { id, affiliateId } of waiting.filter(() => chance(random, plan.applicationsDecided))) {
    const person = applicants.get(affiliateId);
    if (!person) continue;
    if (chance(random, 20)) {
      if (await attempt(world, merchant, `/applications/${id}/decline`, { note: 'Not a fit' })) count(world, 'declined');
    } else if (await attempt(world, merchant, `/applications/${id}/approve`)) {
      count(world, 'approved');
      await welcome(world, merchant, { affiliateId, email: person.email, person });
    }
    applicants.delete(affiliateId);
  }
};

const flagShape = z.object({ id: z.string(), affiliateId: z.string() });
const RESOLUTIONS = ['dismissed', 'dismissed', 'reviewed', 'confirmed'] as const;

const resolveFlags = async (world: World, merchant: Merchant): Promise<void> => {
  const { client, plan, programId, random, affiliates } = merchant;
  const open = await client.get(z.array(flagShape), `/flags?programId=${programId}&status=open&limit=100`);
  for (const { id, affiliateId } of open.filter(() => chance(random, plan.flagsResolved))) {
    const status = random.pick(RESOLUTIONS);
    const blockAffiliate = status === 'confirmed' && chance(random, 30);
    if (!(await attempt(world, merchant, `/flags/${id}/resolve`, { status, blockAffiliate }))) continue;
    count(world, `flags ${status}`);
    const affiliate = affiliates.find((one) => one.affiliateId === affiliateId);
    if (affiliate && blockAffiliate) affiliate.blockedOn = world.day;
  }
};

const activeOf = ({ affiliates }: Merchant) => affiliates.filter(({ blockedOn }) => blockedOn === null);

const flagSomebody = async (world: World, merchant: Merchant): Promise<void> => {
  const active = activeOf(merchant);
  if (active.length === 0) return;
  const { affiliateId } = merchant.random.pick(active);
  const path = `/conversions?affiliateId=${affiliateId}&limit=3`;
  const recent = await merchant.client.get(z.array(z.object({ id: z.string() })), path);
  const body = { affiliateId, conversionIds: recent.map(({ id }) => id), note: 'Please look at these sales' };
  if (await attempt(world, merchant, '/flags', body)) count(world, 'flags by merchants');
};

const blockSomebody = async (world: World, merchant: Merchant): Promise<void> => {
  const active = activeOf(merchant);
  if (active.length < 2) return;
  const affiliate = merchant.random.pick(active);
  if (!(await attempt(world, merchant, `/affiliates/${affiliate.affiliateId}/block`, { reason: 'Asked to explain' }))) return;
  affiliate.blockedOn = world.day;
  count(world, 'blocks');
};

const unblock = async (world: World, merchant: Merchant): Promise<void> => {
  for (const affiliate of merchant.affiliates) {
    if (affiliate.blockedOn === null || world.day < affiliate.blockedOn + BLOCK_DAYS) continue;
    affiliate.blockedOn = null;
    if (await attempt(world, merchant, `/affiliates/${affiliate.affiliateId}/unblock`)) count(world, 'unblocks');
  }
};

const ADJUSTMENTS = [
  { kind: 'bonus', amount: 500 },
  { kind: 'clawback', amount: -300 },
  { kind: 'correction', amount: -100 },
  { kind: 'correction', amount: 250 },
] as const;

const adjust = async (world: World, merchant: Merchant): Promise<void> => {
  const active = activeOf(merchant);
  if (active.length === 0) return;
  const { affiliateId } = merchant.random.pick(active);
  const body = { ...merchant.random.pick(ADJUSTMENTS), note: 'Quarterly campaign' };
  if (await attempt(world, merchant, `/affiliates/${affiliateId}/adjustments`, body)) count(world, 'adjustments');
};
