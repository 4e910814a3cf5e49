import { RULE_CHANGE_DELAY_MS } from '../../contracts/approvals.ts';
import { type Role, rolesWith, SCOPES_OF_ROLE } from '../../contracts/people.ts';
import { after } from '../../platform/clock.ts';
import { type Context, emitInternal } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import type { Person, PersonRole } from './person.entity.ts';

const APPROVERS = rolesWith('payouts:write');

/** Whether somebody may approve more than before. */
const isRaised = (role: Role, oldRole: Role | null): boolean =>
  APPROVERS.includes(role) &&
  (oldRole === null || SCOPES_OF_ROLE[role].some((scope) => !SCOPES_OF_ROLE[oldRole].includes(scope)));

interface Grant {
  merchantId: string;
  role: Role;
  /** What they were, and until when they had to wait. Null: nothing. */
  old: Pick<PersonRole, 'role' | 'approvesFrom'> | null;
  /** As `actorName` names whoever gives it. */
  by: string;
}

/**
 * From when on somebody may approve in a role that they get now: with a threshold on, a second mailbox of whoever invited them must not
 * approve at once. Null: at once. The operator is trusted.
 */
export const approvesFromOf = async (ctx: Context, { merchantId, role, old, by }: Grant): Promise<Date | null> => {
  if (!isRaised(role, old?.role ?? null) || by.startsWith('system:')) return old?.approvesFrom ?? null;
  const merchant = await firstRow(
    ctx.em,
    db.selectFrom('merchant').select('payoutApprovalThreshold').where('id', '=', merchantId),
  );
  if (Object.keys(merchant?.payoutApprovalThreshold ?? {}).length === 0) return old?.approvesFrom ?? null;
  return after(ctx.clock.now(), ctx.settings.scaled(RULE_CHANGE_DELAY_MS));
};

/** Tells the owners and the account of somebody who will approve. Nothing for whoever need not wait. */
export const announceApprover = async (
  ctx: Context,
  granted: PersonRole,
  person: Pick<Person, 'name' | 'email'>,
): Promise<void> => {
  const { id: roleId, merchantId, role, approvesFrom } = granted;
  if (!approvesFrom || !granted.isUnconfirmed(ctx.clock.now())) return;
  const { name, email } = person;
  await emitInternal(ctx, { type: 'person.approver_added', roleId, merchantId, role, name, email, approvesFrom });
};
