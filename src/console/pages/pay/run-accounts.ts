import { buttonLink, notice } from '../../components/blocks.ts';
import { type Html, html } from '../../html.ts';
import type { PageCall } from '../../page.ts';
import { accountPath } from '../settings/payout-accounts/account-path.ts';
import { failingAccounts } from '../settings/payout-accounts/account-said.ts';
import { isUnfinished, type RunData } from './run-totals.ts';

/** Items whose payments are not sent yet. */
const WAITING: readonly string[] = ['planned', 'pending'];

/** Accounts that the run still has to pay from and that cannot pay now, each with why and since when. */
export const runAccountsView = async (run: RunData, call: PageCall<'getRailAccounts'>): Promise<readonly Html[]> => {
  if (!isUnfinished(run) || !call.allows('getRailAccounts')) return [];
  const rails = new Set(run.totals.flatMap(({ result, rail }) => (WAITING.includes(result) ? [rail as string] : [])));
  if (rails.size === 0) return [];
  const { data } = await call.call('getRailAccounts');
  const failing = failingAccounts(data).filter(({ rail }) => rails.has(rail));
  return failing.map(({ rail, label, why, since }) =>
    notice(
      html`<p>Payouts from your ${label} account wait. ${(why ?? `${label} can't pay`).replace(/\.$/, '')}${since !== null && html` (since ${call.format.time(since)})`}.</p><p>${buttonLink(accountPath(rail), 'Open the payout account')}</p>`,
      'bad',
    ),
  );
};
