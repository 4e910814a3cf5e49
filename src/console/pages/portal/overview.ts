import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { buttonLink, figures, notice } from '../../components/blocks.ts';
import { table } from '../../components/table.ts';
import { type Child, type Html, html } from '../../html.ts';
import { type PageCall, page } from '../../page.ts';
import { passkeyOffer } from '../sign-in/passkeys.ts';
import { detailsWait } from './details.ts';
import { withoutPrograms } from './program-choice.ts';

type Sums = OperationSuccess<'getMyEarnings'>['data']['byCurrency'][number];
type Info = OperationSuccess<'getPayoutInfo'>['data'];

/** Programs whose terms are shown; each is one call. */
const MAX_TERMS = 10;

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

const whyNot = (info: Info, call: PageCall): Html | null => {
  const { texts } = call;
  const until = info.detailsCooldownUntil;
  if (info.payoutMethod !== null && info.detailsRejected === null) return until === null ? null : detailsWait(until, call);
  const text = info.payoutMethod === null ? texts.portal.noDetails : texts.portal.rejected;
  return notice(html`<p>${text}</p>${buttonLink('/portal/details', texts.portal.enterDetails, 'primary')}`, 'warning');
};

const termsOf = async (call: PageCall<'listMyPrograms' | 'getMyProgram'>): Promise<Html> => {
  const { texts, format } = call;
  const { data } = await call.call('listMyPrograms');
  const found = await Promise.all(
    data.slice(0, MAX_TERMS).map(({ programId: id }) => call.call('getMyProgram', { params: { id } })),
  );
  return table({
    caption: texts.portal.nextPayment,
    rows: found.map((each) => each.data),
    empty: withoutPrograms(call),
    columns: [
      { head: texts.portal.program, cell: ({ programName }) => programName },
      { head: texts.portal.frequency, cell: ({ payoutFrequency }) => texts.portal.frequencies[payoutFrequency] },
      {
        head: texts.portal.minimum,
        align: 'end',
        cell: ({ payoutThreshold, currency }) => format.money(payoutThreshold, currency),
      },
    ],
  });
};

const nextText = (all: readonly Sums[], { texts, format }: PageCall): string => {
  const payable = all.filter((sums) => payableOf(sums) > 0);
  if (payable.length > 0)
    return texts.portal.nextAmount(payable.map((sums) => format.money(payableOf(sums), sums.currency)).join(' · '));
  return all.some((sums) => heldOf(sums) > 0) ? texts.portal.nothingYet : texts.portal.nothingWaits;
};

/** What was earned, what is held, and what is paid next, or why not. */
export const overviewPage = page({
  path: '/portal',
  audience: 'affiliate',
  navigation: { label: (texts) => texts.portal.overview, icon: 'home' },
  uses: ['getMyEarnings', 'getPayoutInfo', 'listMyPrograms', 'getMyProgram'],
  async view(call) {
    const { texts } = call;
    const [{ data: earnings }, { data: info }, terms] = await Promise.all([
      call.call('getMyEarnings'),
      call.call('getPayoutInfo'),
      termsOf(call),
    ]);
    const all = earnings.byCurrency;
    return {
      title: texts.portal.overview,
      content: html`${passkeyOffer(call, 'affiliate')}${earningFigures(call, all, { earnings: '/portal/earnings', payouts: '/portal/payouts' })}<h2>${texts.portal.nextPayment}</h2>${whyNot(info, call)}<p>${nextText(
        all,
        call,
      )}</p>${terms}`,
    };
  },
});
