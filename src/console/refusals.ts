import { type Role, rolesWith } from '../contracts/people.ts';
import { refusalsForMerchant } from '../texts/refusals.merchant.en.ts';
import { type Child, html } from './html.ts';
import { nameOf } from './name.ts';
import type { PageCall } from './page.ts';

const REFUSALS: Readonly<Record<string, string>> = refusalsForMerchant;

/** Why something is refused, in the words of pages; null for a code that has none. Codes are open sets. */
export const refusalText = (code: string): string | null => (Object.hasOwn(REFUSALS, code) ? (REFUSALS[code] ?? null) : null);

const APPROVERS: readonly Role[] = rolesWith('payouts:write');

const whoElse = async (
  call: Pick<PageCall<'listPeople'>, 'call' | 'allows' | 'person'>,
  involved: readonly (string | null)[],
): Promise<Child> => {
  if (!call.allows('listPeople')) return 'Waiting for an owner or someone in finance';
  const { data } = await call.call('listPeople');
  const others = data.filter(
    ({ personId, role }) =>
      APPROVERS.includes(role) && personId !== call.person?.personId && !involved.includes(`person:${personId}`),
  );
  const [first, ...more] = others.toSorted((a, b) => APPROVERS.indexOf(a.role) - APPROVERS.indexOf(b.role));
  if (!first) return 'Nobody else on your team can approve it: invite another owner, or someone for finance';
  if (more.length === 0) return html`Waiting for ${nameOf(first.name)}`;
  return html`Waiting for ${nameOf(first.name)} or ${more.some(({ role }) => role === 'owner') ? 'another owner' : 'someone else in finance'}`;
};

/**
 * In place of an approval that the reader may not give: who can, by name for those who may read the names and else by role. `involved`
 * are those who had a part in it, as actors.
 */
export const waitingForApproval = async (
  call: Pick<PageCall<'listPeople'>, 'call' | 'allows' | 'person'>,
  involved: readonly (string | null)[],
): Promise<Child> => html`${await whoElse(call, involved)}. ${refusalsForMerchant.SAME_ACTOR}`;
