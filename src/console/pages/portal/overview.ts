import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { buttonLink, figures, notice } from '../../components/blocks.ts';
import { type Child, type Html, html } from '../../html.ts';
import { type PageCall, page } from '../../page.ts';
import { url } from '../../url.ts';
import { passkeyOffer } from '../sign-in/passkeys.ts';
import { detailsWait } from './details.ts';
import { listNextPayments, nextPayments } from './next-payments.ts';

type Sums = OperationSuccess<'getMyEarnings'>['data']['byCurrency'][number];
type Info = OperationSuccess<'getPayoutInfo'>['data'];
type Payment = OperationSuccess<'listNextPayments'>['data'][number];

/** What was earned, in each state that it can be in. Figures with an address lead there. */
export const earningFigures = (
  call: PageCall,
  all: readonly Sums[],
  { earnings, payouts }: { earnings?: string; payouts: string },
): Html => {
  const { portal } = call.texts;
  return figures([
    { label: portal.earned, value: amounts(all, ({ total }) => total, call), note: portal.earnedNote, href: earnings },
    { label: portal.held, value: amounts(all, heldOf, call), note: portal.heldNote },
    { label: portal.payable, value: amounts(all, payableOf, call) },
    { label: portal.inPayout, value: amounts(all, ({ inPayout }) => inPayout, call) },
    { label: portal.paid, value: amounts(all, ({ paid }) => paid, call), href: payouts },
  ]);
};

const heldOf = ({ pending, held }: Sums): number => pending + held.dispute + held.flag;
const payableOf = ({ available, held }: Sums): number => available - held.dispute - held.flag;

/** One amount for each currency: they are never added up. */
const amounts = (all: readonly Sums[], amountOf: (sums: Sums) => number, { format }: PageCall): Child =>
  all.length === 0 ? '–' : all.map((sums) => format.money(amountOf(sums), sums.currency)).join(' · ');

/** Details that a company entered for a membership count where the person has none of their own. */
const whyNot = (info: Info, payments: readonly Payment[], call: PageCall): Html | null => {
  const { texts } = call;
  const until = info.detailsCooldownUntil;
  if (info.payoutMethod !== null && info.detailsRejected === null) return until === null ? null : detailsWait(until, call);
  const isMissing = info.payoutMethod === null;
  if (isMissing && payments.length > 0 && payments.every(({ payoutMethod }) => payoutMethod !== null)) return null;
  const text = isMissing ? texts.portal.noDetails : texts.portal.rejected;
  return notice(html`<p>${text}</p>${buttonLink('/portal/details', texts.portal.enterDetails, 'primary')}`, 'warning');
};

/** Under the domain of a program: where everything else is. */
const elsewhere = ({ accountUrl, texts }: PageCall): Html | false =>
  accountUrl !== null && html`<p>${texts.portal.elsewhere} <a href="${url(accountUrl)}">${new URL(accountUrl).host}</a>.</p>`;

/** What was earned, what is held, and what is paid next, or why not. */
export const overviewPage = page({
  path: '/portal',
  audience: 'affiliate',
  navigation: { label: (texts) => texts.portal.overview, icon: 'home' },
  uses: ['getMyEarnings', 'listNextPayments'],
  mayUse: ['getPayoutInfo'],
  async view(call) {
    const { texts } = call;
    const [{ data: earnings }, details, payments] = await Promise.all([
      call.call('getMyEarnings'),
      call.accountUrl === null ? call.call('getPayoutInfo') : null,
      listNextPayments(call),
    ]);
    return {
      title: texts.portal.overview,
      content: html`${passkeyOffer(call, 'affiliate')}${earningFigures(call, earnings.byCurrency, { earnings: '/portal/earnings', payouts: '/portal/payouts' })}<h2>${texts.portal.nextPayment}</h2>${details ? whyNot(details.data, payments.data, call) : elsewhere(call)}${nextPayments(call, payments)}`,
    };
  },
});
