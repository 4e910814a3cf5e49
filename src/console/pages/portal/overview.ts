import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { amountLines } from '../../amounts.ts';
import { buttonLink, figures, notice } from '../../components/blocks.ts';
import { type Child, type Html, html } from '../../html.ts';
import { type PageCall, page } from '../../page.ts';
import { url } from '../../url.ts';
import { passkeyOffer } from '../sign-in/passkeys.ts';
import { detailsWait } from './details.ts';
import { listNextPayments, nextPayments } from './next-payments.ts';
import { myPayoutSaid, unpayableText } from './said.ts';

type Sums = OperationSuccess<'getMyEarnings'>['data']['byCurrency'][number];
type Info = OperationSuccess<'getPayoutInfo'>['data'];
type Payment = OperationSuccess<'listNextPayments'>['data'][number];

/** What was earned, in each state that it can be in. Figures with an address link to it. */
export const earningFigures = (
  call: PageCall,
  all: readonly Sums[],
  { earnings, payouts }: { earnings?: string; payouts: string },
): Html => {
  const { portal } = call.texts;
  return figures([
    { label: portal.earned, value: amounts(all, ({ total }) => total, call), note: portal.earnedNote, href: earnings },
    { label: portal.pending, value: amounts(all, pendingOf, call), note: portal.pendingNote },
    { label: portal.payable, value: amounts(all, payableOf, call) },
    { label: portal.inPayout, value: amounts(all, ({ inPayout }) => inPayout, call), note: portal.inPayoutNote },
    { label: portal.paid, value: amounts(all, ({ paid }) => paid, call), href: payouts },
  ]);
};

const pendingOf = ({ pending, held }: Sums): number => pending + held.dispute + held.flag;
const payableOf = ({ available, held }: Sums): number => available - held.dispute - held.flag;

const amounts = (all: readonly Sums[], amountOf: (sums: Sums) => number, call: PageCall): Child =>
  amountLines(Object.fromEntries(all.map((sums) => [sums.currency, amountOf(sums)])), call);

/** What went wrong with the last payout of a program, and the page that mends it. */
const failuresView = (call: PageCall, payments: readonly Payment[]): Child =>
  payments.map(({ latestPayout, currency }) => {
    if (latestPayout === null || latestPayout.situation.next !== 'check_details') return false;
    const { text, next } = myPayoutSaid(latestPayout.situation, call.language);
    const { portal } = call.texts;
    const failed = portal.failedPayout(call.format.money(latestPayout.amount, currency));
    return notice(
      html`<p>${failed} ${text}</p><p><strong>${next}</strong></p>${call.accountUrl === null && buttonLink('/portal/details', portal.checkDetails, 'primary')}`,
      'bad',
    );
  });

/** Details that a company entered for a membership count where the person has none of their own. */
const whyNot = (info: Info, payments: readonly Payment[], call: PageCall): Html | null => {
  const { texts } = call;
  const until = info.detailsCooldownUntil;
  if (info.payoutMethod !== null && info.detailsRejected === null) return until === null ? null : detailsWait(until, call);
  const isMissing = info.payoutMethod === null;
  if (isMissing && payments.length > 0 && payments.every(({ payoutMethod }) => payoutMethod !== null)) return null;
  const text = unpayableText(isMissing ? 'PAYOUT_DETAILS_MISSING' : 'DETAILS_REJECTED', call.language);
  const label = isMissing ? texts.portal.enterDetails : texts.portal.checkDetails;
  return notice(html`<p>${text}</p>${buttonLink('/portal/details', label, 'primary')}`, 'warning');
};

/** Under the domain of a program: says where everything else is. */
const elsewhere = ({ accountUrl, texts }: PageCall): Html | false =>
  accountUrl !== null && html`<p>${texts.portal.elsewhere} <a href="${url(accountUrl)}">${new URL(accountUrl).host}</a>.</p>`;

/** What went wrong, what was earned, and what is paid next, or why not. */
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
      content: html`${failuresView(call, payments.data)}${passkeyOffer(call, 'affiliate')}${earningFigures(call, earnings.byCurrency, { earnings: '/portal/earnings', payouts: '/portal/payouts' })}<h2>${texts.portal.nextPayment}</h2>${details ? whyNot(details.data, payments.data, call) : elsewhere(call)}${nextPayments(call, payments)}`,
    };
  },
});
