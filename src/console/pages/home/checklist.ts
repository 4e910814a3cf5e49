import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { attributes, type Html, html, nothing } from '../../html.ts';
import { icon } from '../../icons.ts';
import type { PageCall } from '../../page.ts';
import { url } from '../../url.ts';
import { ACCOUNTS } from '../settings/payout-accounts/account-path.ts';

export const CHECKLIST_OPERATIONS = [
  'getMerchant',
  'listPrograms',
  'getTrackingStatus',
  'listAffiliates',
  'listConversions',
  'getRailAccounts',
] as const;
type Call = PageCall<(typeof CHECKLIST_OPERATIONS)[number]>;

interface Point {
  label: string;
  isDone: boolean;
  /** The page where it is done, or a guide that says how. */
  href: string;
}

const guide = (name: string): string => `/docs/guides/${name}.md`;

/** An account is connected, or somebody chose who pays. */
const isPayoutSetUp = ({ accounts, methods }: OperationSuccess<'getRailAccounts'>['data']): boolean =>
  accounts.some(({ isCurrent }) => isCurrent) || methods.some(({ chosen }) => chosen !== null);

const pointsOf = async (call: Call): Promise<Point[]> => {
  const one = { query: { limit: '1' } };
  const [merchant, programs, affiliates, accounts] = await Promise.all([
    call.call('getMerchant'),
    call.call('listPrograms', one),
    call.call('listAffiliates', one),
    call.call('getRailAccounts'),
  ]);
  const [program] = programs.data;
  const tracking = program && (await call.call('getTrackingStatus', { params: { id: program.id } }));
  return [
    { label: 'Company details', isDone: merchant.data.onboardingCompleted, href: guide('getting-started') },
    { label: 'Create a program', isDone: program !== undefined, href: guide('getting-started') },
    {
      label: 'Connect your shop',
      isDone: tracking !== undefined && tracking.data.readiness !== 'setup',
      href: guide('tracking'),
    },
    { label: 'Invite your first affiliate', isDone: affiliates.meta.total > 0, href: guide('affiliates') },
    { label: 'Set up payouts', isDone: isPayoutSetUp(accounts.data), href: ACCOUNTS },
    { label: 'See your first sale', isDone: false, href: guide('report-a-sale') },
  ];
};

/** What to do first, until the program earns. Empty for people who may not see all of it. */
export const checklistView = async (call: Call): Promise<Html> => {
  if (!CHECKLIST_OPERATIONS.every((id) => call.allows(id))) return nothing;
  const { meta } = await call.call('listConversions', { query: { limit: '1' } });
  if (meta.total > 0) return nothing;
  const points = await pointsOf(call);
  const done = points.filter(({ isDone }) => isDone).length;
  return html`<section class="card"><h2>First steps: ${call.format.number(done)} of ${call.format.number(points.length)}</h2><ol>${points.map(
    ({ label, isDone, href }) =>
      html`<li>${isDone ? html`${icon('check')} ${label} <span class="hidden">done</span>` : html`<a href="${url(href)}"${attributes({ target: href.startsWith('/docs') && '_blank' })}>${label}</a>`}</li>`,
  )}</ol></section>`;
};
