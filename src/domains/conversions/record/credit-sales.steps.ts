import type { UnattributedReason } from '../../../contracts/conversions.ts';
import type { Context } from '../../../platform/context.ts';
import { lockMembership } from '../../affiliates/index.ts';
import { lockBalances } from '../../ledger/index.ts';
import type { ProgramRecord } from '../../programs/index.ts';
import {
  getCustomerHistory,
  lockSupersededSales,
  type SaleFacts,
  type SupersededSale,
} from '../attribute/attribution.queries.ts';
import {
  type Attribution,
  type CustomerHistory,
  isBeforeJoining,
  limitOf,
  unattributedReason,
} from '../attribute/attribution.rules.ts';
import type { SaleAttribution } from '../attribute/sale-attribution.steps.ts';
import { lockConversions, rejectSuperseded } from '../attribute/supersede.steps.ts';
import type { Conversion } from '../conversion.entity.ts';
import { createConversion, type Member, type StoredSale } from './create-conversion.steps.ts';

/** A sale with a match, new or stored. */
export interface MatchedSale {
  facts: SaleFacts;
  match: Attribution;
  history: CustomerHistory;
  store(attribution: SaleAttribution): Promise<StoredSale>;
}

export interface AttributedSale {
  saleId: string;
  /** Null when nobody is credited. */
  conversionId: string | null;
  /** Why nobody is credited. */
  reason: UnattributedReason | null;
}

interface Crediting {
  program: ProgramRecord;
  member: Member;
  superseded: readonly SupersededSale[];
}

const byOccurrence = ({ facts: a }: MatchedSale, { facts: b }: MatchedSale): number =>
  a.occurredAt.getTime() - b.occurredAt.getTime() || (a.externalId < b.externalId ? -1 : 1);

/**
 * Attributes sales of one customer that all point to the same affiliate, in the order in which they occurred, which is the order
 * of the result, and posts their commissions. The caller must hold the customer's lock, the program's shared lock and the locks
 * of stored sales. Locks the membership of the match, so that no block comes between the decision and the commit.
 */
export const creditSales = async (
  ctx: Context,
  program: ProgramRecord,
  matched: readonly MatchedSale[],
): Promise<AttributedSale[]> => {
  const sales = matched.toSorted(byOccurrence);
  const [first] = sales;
  if (!first) return [];
  const { affiliateId } = first.match;
  const superseded = maySupersede(program, first) ? await lockSupersededSales(ctx, program, first.facts) : [];
  const crediting: Crediting = { program, member: await lockMembership(ctx, affiliateId), superseded };
  // Without a commission to reject, the balance is locked by its update at the end.
  if (superseded.length > 0) await lockBalances(ctx, [affiliateId, ...superseded.map((row) => row.affiliateId)]);
  const attributed: AttributedSale[] = [];
  for (const sale of sales) {
    // An earlier one of these sales may have become the first payment.
    const history = sale === first ? sale.history : await getCustomerHistory(ctx, sale.facts);
    attributed.push(await creditSale(ctx, crediting, { ...sale, history }));
  }
  return attributed;
};

/** Whether a sale can become the first payment although later ones were credited. */
const maySupersede = ({ commissionType }: ProgramRecord, { facts, history }: MatchedSale): boolean => {
  if (commissionType === 'one_time') return !history.hasEarlierSale;
  return commissionType === 'recurring_limited' && history.firstMatchedAt !== null && facts.occurredAt < history.firstMatchedAt;
};

const creditSale = async (ctx: Context, crediting: Crediting, matched: MatchedSale): Promise<AttributedSale> => {
  const { program, member } = crediting;
  const { facts, history, match, store } = matched;
  // Evidence from before the affiliate joined attributes neither this sale nor later ones.
  if (isBeforeJoining(match.at, member)) {
    const reason = 'BEFORE_AFFILIATE_JOINED';
    const { id } = await store({ match: null, reason });
    return { saleId: id, conversionId: null, reason };
  }
  const superseded = await lockSuperseded(ctx, crediting, facts);
  const isOneTime = program.commissionType === 'one_time';
  const isFirstApproved = isOneTime && superseded.some(({ approvedAt }) => approvedAt !== null);
  const reason =
    unattributedReason(program, facts.occurredAt, history, member) ?? (isFirstApproved ? 'FIRST_PAYMENT_SETTLED' : null);
  if (reason === null || !isOneTime) await rejectSuperseded(ctx, superseded, isOneTime ? 'NOT_FIRST_PAYMENT' : 'LIMIT_REACHED');
  const sale = await store({ match, reason });
  const conversionId = reason === null ? await createConversion(ctx, { program, sale, match, member }) : null;
  return { saleId: sale.id, conversionId, reason };
};

/** The conversions that a sale supersedes, locked. */
const lockSuperseded = (ctx: Context, { program, superseded }: Crediting, facts: SaleFacts): Promise<Conversion[]> => {
  const until = limitOf(program, facts.occurredAt);
  const ids = superseded.filter(({ occurredAt }) => !until || occurredAt >= until).map((row) => row.conversionId);
  return lockConversions(ctx, ids);
};
