import type { OperationSuccess } from '../../../../api/pipeline/call-operation.ts';
import type { Rail } from '../../../../contracts/rails.ts';
import { ABOUT_RAILS, accountButtons } from '../../../../texts/about-rails.merchant.en.ts';
import { badge, emptyState } from '../../../components/blocks.ts';
import { table } from '../../../components/table.ts';
import type { Html } from '../../../html.ts';
import type { Said } from '../../../said.ts';

export type Accounts = OperationSuccess<'getRailAccounts'>['data'];
export type Account = Accounts['accounts'][number];

/** A failed check that nobody answered, or that found something which payments do not need. */
const besides = ({ unansweredAt, findings }: Account, name: string): string => {
  if (unansweredAt !== null) return ` ${name} didn't answer the last check.`;
  return findings.length > 0 ? ' The report below has something to improve.' : '';
};

/** The first thing that keeps an account from paying. */
const obstacleOf = ({ findings }: Pick<Account, 'findings'>) => findings.find(({ isWarning }) => !isWarning);

/** The accounts that can't pay, with the reason (null when none is known) and since when. */
export const failingAccounts = ({ accounts }: Pick<Accounts, 'accounts'>) =>
  accounts
    .filter(({ isCurrent, status }) => isCurrent && status === 'failing')
    .map(({ rail, label, held, findings, checkedAt }) => ({
      ...{ rail, label, isHeld: held !== null },
      why: held?.word ?? obstacleOf({ findings })?.word ?? null,
      since: held?.since ?? checkedAt,
    }));

/** How an account is, why, and what to do. Null: none is connected. */
export const accountSaid = (rail: Rail, account: Account | null): Said => {
  const { name, what, needs, checks } = ABOUT_RAILS[rail];
  if (account === null) return { label: 'Not connected', tone: 'neutral', text: `${what} ${needs}`, next: null };
  const { status, held, unansweredAt } = account;
  if (held)
    return {
      label: 'On hold',
      tone: 'bad',
      text: `${held.word}. Payouts from this account wait. We try one of them again from time to time.`,
      next: `Fix this at ${account.label}, then choose “${accountButtons.check}”: payouts that wait are sent. Pay those that failed again.`,
    };
  if (status === 'failing') {
    const missing = obstacleOf(account);
    const text = missing?.word ?? `${name} can't pay from this account.`;
    return { label: 'Not working', tone: 'bad', text, next: missing?.next ?? null };
  }
  if (status === 'unchecked') {
    const text =
      unansweredAt === null ? `We haven't asked ${name} yet whether this account can pay.` : `${name} didn't answer yet.`;
    return { label: 'Not checked', tone: 'warning', text, next: `Choose “${accountButtons.check}”.` };
  }
  const can =
    checks.length === 0
      ? "Payment files can be made for this account. Your bank can't be asked whether it takes them."
      : `${name} can pay from this account.`;
  return { label: 'Ready', tone: 'good', text: `${can}${besides(account, name)}`, next: null };
};

interface Line {
  text: string;
  result: Html;
  next: string;
}

/** Everything that the last check asked. When the credentials are refused, nothing else could be. */
const linesOf = (rail: Rail, { findings }: Account): Line[] => {
  const { checks } = ABOUT_RAILS[rail];
  const isRefused = findings.some(({ name }) => name === 'credentials');
  const asked = checks.flatMap(({ names, ok }): Line[] => {
    if (findings.some(({ name }) => names.includes(name))) return [];
    if (isRefused) return [];
    return [{ text: ok, result: badge('OK', 'good'), next: '–' }];
  });
  const found = findings.map(({ word, next, isWarning }): Line => {
    const result = isWarning ? badge('Recommended', 'warning') : badge('Missing', 'bad');
    return { text: word, result, next };
  });
  return [...found, ...asked];
};

/** What the last check found, in words. Null: there was none, or nobody can be asked. */
export const reportView = (rail: Rail, account: Account): Html | null => {
  const rows = linesOf(rail, account);
  if (account.checkedAt === null || rows.length === 0) return null;
  return table({
    caption: 'What the last check found',
    rows,
    columns: [
      { head: 'Check', cell: ({ text }) => text },
      { head: 'Result', cell: ({ result }) => result },
      { head: 'What to do', cell: ({ next }) => next },
    ],
    empty: emptyState({ icon: 'check', title: 'Nothing to report' }),
  });
};
