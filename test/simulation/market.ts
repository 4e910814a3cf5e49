import { anyAddress } from '../support/api.ts';
import { unique } from '../support/factories.ts';
import { clickOn, closeDispute, type Evidence, openDispute, refund, sell } from './sales-feed.ts';
import { type Affiliate, type Customer, chance, count, isDue, type Merchant, type SoldItem, type World } from './world.ts';

/** Sales of a day by its place in the week, as a percent of the chance of each affiliate. */
const WEEK = [40, 36, 34, 34, 38, 18, 14] as const;
const CLICKS_PER_DAY = 2;
/** Nobody buys within seconds of a click. */
const DAYS_FROM_CLICK_TO_SALE = 2;
/** Customers come back to what they clicked on at most so many days ago. Some cookies are over by then. */
const MAX_CLICK_DAYS = 15;
const REFUND_EVERY_DAYS = 4;
const MAX_REFUND_DAYS = 20;
const FRAUD_EVERY_DAYS = 11;
const DISPUTE_EVERY_DAYS = 6;
const DISPUTE_DAYS = 4;

/** A day of clicks, sales, refunds and disputes of one merchant. */
export const runMarket = async (world: World, merchant: Merchant): Promise<void> => {
  const { random } = merchant;
  for (const affiliate of merchant.affiliates) {
    for (let clicks = random.integer(CLICKS_PER_DAY + 1); clicks > 0; clicks--) await clickOn(world, merchant, affiliate);
    if (chance(random, WEEK[world.day % WEEK.length] ?? 0)) await sellFor(world, merchant, affiliate);
  }
  if (isDue(world, merchant, REFUND_EVERY_DAYS)) await refundOne(world, merchant);
  if (isDue(world, merchant, FRAUD_EVERY_DAYS)) await cheat(world, merchant);
  if (isDue(world, merchant, DISPUTE_EVERY_DAYS)) await disputeOne(world, merchant);
  await closeDisputes(world, merchant);
};

/** Disputes that are old enough are won or lost. */
export const closeDisputes = async (world: World, merchant: Merchant): Promise<void> => {
  for (const sale of merchant.sales) {
    if (sale.dispute === null || world.day < sale.dispute.day + DISPUTE_DAYS) continue;
    await closeDispute(world, merchant, sale, merchant.random.pick(['won', 'lost']));
  }
};

const recentOf = (world: World, { sales }: Merchant): SoldItem[] =>
  sales.filter(
    ({ conversionId, isRefunded, dispute, day }) =>
      conversionId !== null && !isRefunded && dispute === null && day >= world.day - MAX_REFUND_DAYS,
  );

const disputeOne = async (world: World, merchant: Merchant): Promise<void> => {
  const recent = recentOf(world, merchant);
  if (recent.length > 0) await openDispute(world, merchant, merchant.random.pick(recent));
};

const newCustomer = (): Customer => ({ id: `c-${unique()}`, email: `buyer-${unique()}@customers.example` });

const sellFor = async (world: World, merchant: Merchant, affiliate: Affiliate): Promise<void> => {
  const { random } = merchant;
  const amount = 2_000 + random.integer(18_000);
  const known = affiliate.customers.length > 0 && chance(random, 30) ? random.pick(affiliate.customers) : null;
  // A renewal comes without evidence: it follows the customer's history.
  if (known) return sell(world, merchant, { customer: known, amount, evidence: {} });
  const customer = newCustomer();
  affiliate.customers.push(customer);
  await sell(world, merchant, { customer, amount, evidence: evidenceOf(world, merchant, affiliate) });
};

const evidenceOf = (world: World, { random }: Merchant, affiliate: Affiliate): Evidence => {
  affiliate.clicks = affiliate.clicks.filter(({ day }) => day >= world.day - MAX_CLICK_DAYS);
  const old = affiliate.clicks.filter(({ day }) => day <= world.day - DAYS_FROM_CLICK_TO_SALE);
  if (old.length > 0 && chance(random, 60)) return { clickToken: random.pick(old).token };
  if (affiliate.couponCode !== null && chance(random, 60)) return { couponCode: affiliate.couponCode };
  return { referralCode: affiliate.code };
};

const refundOne = async (world: World, merchant: Merchant): Promise<void> => {
  const { random } = merchant;
  const recent = recentOf(world, merchant);
  if (recent.length === 0) return;
  const sale = random.pick(recent);
  await refund(world, merchant, sale, chance(random, 50) ? sale.amount : Math.ceil(sale.amount / 2));
};

/** One affiliate does what the fraud rules look for. */
const cheat = async (world: World, merchant: Merchant): Promise<void> => {
  const { random } = merchant;
  const active = merchant.affiliates.filter(({ blockedOn }) => blockedOn === null);
  if (active.length === 0) return;
  const affiliate = random.pick(active);
  count(world, 'frauds');
  await random.pick(FRAUDS)(world, merchant, affiliate);
};

type Fraud = (world: World, merchant: Merchant, affiliate: Affiliate) => Promise<void>;

const buy = (world: World, merchant: Merchant, affiliate: Affiliate, email: string, evidence?: Evidence): Promise<void> =>
  sell(world, merchant, {
    customer: { id: `c-${unique()}`, email },
    amount: 5_000,
    evidence: evidence ?? { referralCode: affiliate.code },
  });

const FRAUDS: readonly Fraud[] = [
  // Buys through the own link.
  (world, merchant, affiliate) => buy(world, merchant, affiliate, affiliate.email),
  async (world, merchant, affiliate) => {
    for (let sales = 0; sales < 3; sales++) await buy(world, merchant, affiliate, `x-${unique()}@mailinator.com`);
  },
  // A sale within a second of its click.
  async (world, merchant, affiliate) => {
    await clickOn(world, merchant, affiliate);
    const token = affiliate.clicks.at(-1)?.token;
    if (token !== undefined) await buy(world, merchant, affiliate, newCustomer().email, { clickToken: token });
  },
  // More clicks from one address than a person makes.
  async (world, merchant, affiliate) => {
    const address = anyAddress();
    for (let clicks = 0; clicks < 35; clicks++) await clickOn(world, merchant, affiliate, address);
  },
];
