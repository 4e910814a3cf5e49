import type { PayeeAccount } from '../../../contracts/payee-accounts.ts';
import { isConfirmedBy, isPaidFromMerchant, RAILS, type Rail } from '../../../contracts/rails.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { knownVersions, type NoticeTarget, readVersions } from '../rails/notice-accounts.cache.ts';
import type { OnlineRail, RailNotification, UnreadNotice } from '../rails/rail.ts';
import type { Rails, VersionedAccount } from '../rails/rails.ts';
import { type NoticeOutcome, type NoticeRequest, noticesOf, recordNotifications } from './receive-rail-notification.ts';

export interface AccountNotificationInput extends NoticeRequest {
  rail: string;
  merchantId: string;
  /** Its sender has often failed to sign: what was read of the account within seconds decides. */
  isSuspect: boolean;
  /** To be called once the signature was verified. */
  admit(merchantId: string): Promise<void>;
}

/**
 * As `receiveRailNotification`, of an account of a merchant: a notice is about one of its versions, and never about a payout of another
 * merchant. Throws NOT_FOUND without such an account.
 */
export const receiveAccountNotification = async (
  ctx: Context,
  rails: Rails,
  input: AccountNotificationInput,
): Promise<{ outcome: NoticeOutcome }> => {
  const target = targetOf(input);
  const { rail, notices, payee, railAccountId } = await readByVersions(ctx, rails, { ...input, target });
  await input.admit(target.merchantId);
  if (payee) return hearPayee(ctx, { railAccountId, payee });
  return recordNotifications(ctx, { rail, merchantId: target.merchantId }, notices);
};

/** Whoever keeps the accounts of payees hears of it in one transaction. */
const hearPayee = async (
  ctx: Context,
  heard: { railAccountId: string; payee: PayeeAccount },
): Promise<{ outcome: NoticeOutcome }> => {
  await inTransaction(ctx, (ctx) => emitInternal(ctx, { type: 'payee_account.changed', ...heard }));
  return { outcome: 'recorded' };
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const isNotified = (name: string): name is Rail =>
  Object.hasOwn(RAILS, name) && isPaidFromMerchant(name as Rail) && isConfirmedBy(name as Rail, 'notice');

const targetOf = ({ rail, merchantId }: AccountNotificationInput): NoticeTarget => {
  const id = merchantId.toLowerCase();
  if (!isNotified(rail) || !UUID.test(id)) throw notFound('Rail account');
  return { rail, merchantId: id };
};

interface Read {
  rail: OnlineRail;
  /** The version whose provider sent them. */
  railAccountId: string;
  notices: RailNotification[];
  /** Instead of them: an account of a payee. */
  payee: PayeeAccount | null;
}

type Sent = NoticeRequest & { target: NoticeTarget; isSuspect: boolean };

/** What was read within seconds is tried first; what it rejects is tried with what the database has, except for suspects. */
const readByVersions = async (ctx: Context, rails: Rails, sent: Sent): Promise<Read> => {
  const { target, isSuspect } = sent;
  const known = knownVersions(target);
  if (known) {
    const read = await tryVersions(rails, known, sent);
    if ('notices' in read) return read;
    if (isSuspect) throw refusalOf(read);
  }
  const versions = await readVersions(ctx, target, isSuspect);
  if (versions.length === 0) throw notFound('Rail account');
  const read = await tryVersions(rails, versions, sent);
  if ('notices' in read) return read;
  throw refusalOf(read);
};

type Refused = Pick<UnreadNotice, 'why'> & { unread: 'rejected' | 'try_later' };

/** The first version that knows the signature reads the notice. It is rejected when all reject it: one that cannot tell now may be the one. */
const tryVersions = async (
  rails: Rails,
  versions: readonly VersionedAccount[],
  { headers, rawBody }: Sent,
): Promise<Read | Refused> => {
  let refused: Refused = { unread: 'rejected', why: 'The account has no such signature' };
  for (const version of versions) {
    const rail = rails.open(version);
    const read = await rail.readNotice(headers, rawBody);
    if (!('unread' in read) || read.unread === 'foreign' || read.unread === 'unreadable')
      return { rail, railAccountId: version.id, notices: noticesOf(read), payee: 'payee' in read ? read.payee : null };
    if (refused.unread === 'rejected') refused = { unread: read.unread, why: read.why };
  }
  return refused;
};

const refusalOf = ({ unread, why }: Refused): AppError =>
  new AppError(unread === 'rejected' ? 'UNAUTHORIZED' : 'UNAVAILABLE', why);
