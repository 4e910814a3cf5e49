import { isDeepStrictEqual } from 'node:util';
import { type AuditAction, type FieldChange, INSTALLATION } from '../../contracts/audit-log.ts';
import { actorName, type Context, emitInternal, findCaller } from '../context.ts';
import { invariant } from '../errors.ts';
import { AuditLogEntry } from './audit-log.entity.ts';

type Values = Readonly<Record<string, unknown>>;

interface RecordedChange {
  /** The merchant, or the profile of the person, whose object it is; `INSTALLATION` for what is nobody's. */
  ownerId: string;
  action: AuditAction;
  resourceId: string;
  /** Only values that may be shown forever: no secret, no account that is paid to, no address, no text about a person. */
  before?: Values | undefined;
  after?: Values | undefined;
  /** Fields that changed and whose values are not shown. */
  hidden?: readonly string[] | undefined;
}

/** Length of one value as JSON. Longer ones are cut. */
const MAX_VALUE_LENGTH = 500;

/**
 * Writes an entry of the audit log in the transaction of the change, none for a change that changed nothing, and tells the merchant of
 * what they should know at once.
 */
export const recordChange = async (ctx: Context, change: RecordedChange): Promise<void> => {
  invariant(ctx.em.isInTransaction(), 'a change is recorded in its own transaction');
  const { actor, origin } = ctx;
  const { ownerId, action, resourceId } = change;
  const changes = changesOf(change);
  if (changes.length === 0 && isComparison(action)) return;
  const id = ctx.ids.next();
  ctx.em.create(AuditLogEntry, {
    id,
    ownerId,
    action,
    resourceId,
    changes,
    actor: actorName(actor),
    address: origin?.address ?? null,
    requestId: origin?.requestId ?? null,
    createdAt: ctx.clock.now(),
  });
  if (!isTold(ctx, action, changes)) return;
  const told = { changeId: id, merchantId: ownerId, action, resourceId, changes };
  await emitInternal(ctx, { type: 'account.changed', ...told, address: origin?.address ?? null });
};

/** Records a change by an operator to something that belongs to no account. */
export const recordInstallationChange = (
  ctx: Context,
  change: Omit<RecordedChange, 'ownerId' | 'resourceId' | 'action'> & { action: AuditAction & `installation.${string}` },
): Promise<void> => recordChange(ctx, { ownerId: INSTALLATION, resourceId: INSTALLATION, ...change });

const isComparison = (action: AuditAction): boolean => action.endsWith('.updated') || action.endsWith('_changed');

/** The values of an object before a change. */
export const valuesOf = <Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> =>
  Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;

const changesOf = ({ before = {}, after = {}, hidden = [] }: RecordedChange): FieldChange[] => [
  ...Object.keys({ ...before, ...after }).flatMap((field) => {
    const [old, new_] = [bounded(before[field]), bounded(after[field])];
    return isDeepStrictEqual(old, new_) ? [] : [{ field, old, new: new_, hidden: false }];
  }),
  ...hidden.map((field) => ({ field, old: null, new: null, hidden: true })),
];

const bounded = (value: unknown): unknown => {
  const json = JSON.stringify(value ?? null);
  return json.length <= MAX_VALUE_LENGTH ? JSON.parse(json) : `${json.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…`;
};

/** Whether it receives more than before: events of all programs, or more types. */
const isWidened = ({ field, old, new: next }: FieldChange): boolean => {
  if (field === 'programId') return next === null;
  if (field !== 'subscribedEvents' && field !== 'extendedEvents') return false;
  // A list that was cut is text.
  return !Array.isArray(old) || !Array.isArray(next) || next.some((type) => !old.includes(type));
};

/** Pages may be shown in apps in which they were not before. */
const isFramed = ({ field, old, new: next }: FieldChange): boolean => {
  if (field !== 'embedOrigins' || next === null) return false;
  const before = Array.isArray(old) ? old : [];
  // A list that was cut is text.
  return !Array.isArray(next) || next.some((origin) => !before.includes(origin));
};

const TOLD: ReadonlySet<AuditAction> = new Set([
  'api_key.created',
  'person.passkey_replacement_requested',
  'person_invite.created',
  'program.event_secret_issued',
  'rail_account.connected',
  'rail_account.disconnected',
  'rail_account.updated',
]);

/** A thief with a key begins with one of these. The merchant already knows what the operator did, except for the tier. */
const isTold = ({ actor }: Context, action: AuditAction, changes: readonly FieldChange[]): boolean => {
  const has = (name: string): boolean => changes.some(({ field }) => field === name);
  if (action === 'merchant.billing_changed') return has('billingTier');
  // A person came back from Stripe.
  if (changes.some(({ field, new: next }) => field === 'stripeAccountId' && next !== null)) return true;
  // The pages for affiliates changed, even if the record is gone or an operator did it.
  if (has('portalDomain') || has('isPortalDomainVerified')) return true;
  const caller = findCaller(actor);
  if (!caller || caller.keyType === 'affiliate') return false;
  if (changes.some(isFramed)) return true;
  if (action === 'program.updated' || action === 'affiliate.updated') return has('commissionPercent');
  if (action === 'webhook_endpoint.updated') return changes.some(isWidened);
  return TOLD.has(action);
};
