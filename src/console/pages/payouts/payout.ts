import { isPaidFromMerchant } from '../../../contracts/rails.ts';
import { payoutWorkflowId } from '../../../contracts/workflows/payouts.ts';
import { providerReason } from '../../../texts/provider-reasons.merchant.en.ts';
import { type ActorNames, NAMING_OPERATIONS, readActorNames } from '../../actor-names.ts';
import { copyable, emptyState } from '../../components/blocks.ts';
import { pager, table } from '../../components/table.ts';
import { type Child, type Html, html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { nameOf } from '../../name.ts';
import { mustOthersApprove } from '../../offers.ts';
import type { PageCall } from '../../page.ts';
import { recordPage } from '../../record-page.ts';
import { payoutSaid, type Said } from '../../said.ts';
import { path, url } from '../../url.ts';
import { accountPath } from '../settings/payout-accounts/account-path.ts';
import { payoutActions } from './payout-actions.ts';
import { payoutForms } from './payout-forms.ts';
import { attemptsView, stepsOf, timelineView } from './payout-history.ts';
import { methodText } from './payout-method.ts';
import type { PayoutData, PayoutPageData } from './payout-offers.ts';

/** The newest. Look-ups in a row are one entry, so that hardly any timeline is longer. */
const TIMELINE_ENTRIES = '100';

type Items = Awaited<ReturnType<typeof readItems>>;

const readItems = (call: PageCall<'listPayoutItems'>) =>
  call.call('listPayoutItems', { params: { id: call.param('id') }, query: queryOf(call, ['cursor', 'limit']) });

const link = (href: string, text: Child): Html => html`<a href="${url(href)}">${text}</a>`;

const payoutLink = (id: string): Html => link(path('/console/payouts/{id}', { id }), html`<code>${id}</code>`);

const enteredText = ({ accountEnteredBy, accountEnteredAt }: PayoutData, format: PageCall['format'], nameOfActor: ActorNames) =>
  accountEnteredBy &&
  html`${nameOfActor(accountEnteredBy)}${accountEnteredAt !== null && html` on ${format.date(accountEnteredAt)}`}, not by the affiliate`;

const feesText = ({ fees }: PayoutData, format: PageCall['format']): string | null => {
  const texts = fees.map(({ currency, amount, returned }) => {
    const charged = format.money(amount, currency);
    return returned === 0 ? charged : `${charged}, ${format.money(returned, currency)} given back`;
  });
  return texts.length === 0 ? null : texts.join('; ');
};

const REFERENCES: Readonly<Record<keyof PayoutPageData['references'], string>> = {
  transaction: 'Transaction ID',
  item: 'Payment ID at the provider',
  batch: 'Batch ID at the provider',
  file: 'Reference in the bank file',
  booking: 'Booking reference of the bank',
};

/** To be looked up at the provider or the bank. */
const referencesOf = ({ references }: PayoutPageData, { texts }: PageCall): (readonly [string, Child])[] =>
  (Object.keys(REFERENCES) as (keyof typeof REFERENCES)[]).map((kind) => {
    const reference = references[kind];
    return [REFERENCES[kind], reference && copyable(reference, texts)];
  });

const factsOf = (payout: PayoutPageData, call: PageCall, nameOfActor: ActorNames): (readonly [string, Child])[] => {
  const { format, allows } = call;
  return [
    ['Amount', format.money(payout.amount, payout.currency)],
    ['Reference', payout.paymentReference],
    ['Affiliate', html`${nameOf(payout.affiliateName ?? 'Unknown')} (${payout.affiliateCode})`],
    ['Program', nameOf(payout.programName)],
    ['Payout method', methodText(payout)],
    ['Reason given by the provider', payout.railReason && (providerReason(payout.rail, payout.railReason) ?? payout.railReason)],
    ['Provider fee', feesText(payout, format)],
    ['Received by the payee', payout.conversion && format.money(payout.conversion.amount, payout.conversion.currency)],
    ['Bank reference', payout.bankReference],
    ...referencesOf(payout, call),
    ['Paid on', payout.paidAt && format.companyDate(payout.paidAt)],
    ['Account entered by', enteredText(payout, format, nameOfActor)],
    ['Approved by', payout.approvedBy && nameOfActor(payout.approvedBy)],
    [
      'Payout run',
      payout.payoutRunId &&
        (allows('getPayoutRun') ? link(path('/console/pay/runs/{id}', { id: payout.payoutRunId }), 'View payout run') : 'Yes'),
    ],
    ['Retries', payout.retryOf && payoutLink(payout.retryOf)],
    ['Retried by', payout.retriedBy && payoutLink(payout.retriedBy)],
    ['Amount now in', payout.replacedBy !== payout.retriedBy && payout.replacedBy && payoutLink(payout.replacedBy)],
    ['Your notes', payout.notes],
    ['ID', html`<code>${payout.id}</code>`],
  ];
};

const ITEM_TYPES: Readonly<Record<Items['data'][number]['type'], string>> = {
  commission: 'Commission',
  bonus: 'Bonus',
  clawback: 'Clawback',
  correction: 'Correction',
  refund: 'Refund',
  earlier_payout: 'Earlier payout',
};

const itemsView = (call: PageCall<'getConversion'>, payout: PayoutData, { data, meta }: Items): Html =>
  html`${table({
    caption: 'What it pays',
    rows: data,
    columns: [
      {
        head: 'Item',
        cell: ({ type, conversionId }) => {
          const text = ITEM_TYPES[type];
          if (conversionId === null || !call.allows('getConversion')) return text;
          return link(path('/console/payouts/{id}/sales/{conversionId}', { id: payout.id, conversionId }), text);
        },
      },
      {
        head: 'Sale',
        cell: ({ externalSaleId, earlierPayoutId }) => externalSaleId ?? (earlierPayoutId && payoutLink(earlierPayoutId)) ?? '–',
      },
      {
        head: 'Sale amount',
        align: 'end',
        cell: ({ saleAmount, currency }) => (saleAmount === null ? '–' : call.format.money(saleAmount, currency)),
      },
      { head: 'Amount', align: 'end', cell: ({ amount, currency }) => call.format.money(amount, currency) },
      { head: 'Created', cell: ({ createdAt }) => call.format.date(createdAt) },
      {
        head: 'Note',
        cell: ({ note, included, includedIn }) => {
          if (included) return note ?? '–';
          return includedIn === null
            ? 'Payable again'
            : html`In ${link(path('/console/payouts/{id}', { id: includedIn }), 'a later payout')}`;
        },
      },
    ],
    empty: emptyState({ icon: 'money', title: 'No items' }),
  })}${(meta.hasMore || call.query['cursor'] !== undefined) && pager(call, meta, data.length)}`;

/** For somebody who is paid before all others that wait. */
const bankFileOf = (call: PageCall, { id, situation }: PayoutData): Html | false =>
  situation.state === 'to_put_into_file' &&
  call.allows('makeBankFiles') &&
  html`<a class="button secondary small" href="${url(path('/console/pay/bank-files/new', {}, { payoutId: id }))}">Bank file for this payout only</a>`;

const remittanceOf = async (call: PageCall<'getPayoutRemittance'>, { id, status }: PayoutData): Promise<Html | null> => {
  if (status !== 'completed' || !call.allows('getPayoutRemittance')) return null;
  const read = await call.attempt('getPayoutRemittance', { params: { id } });
  // There is none anymore if the money has just come back.
  if ('error' in read) return null;
  return html`<a class="button secondary small" href="${url(read.data.url)}" target="_blank" rel="noopener">Payout statement</a>`;
};

const ON_ACCOUNT: readonly (string | null)[] = ['check_account', 'connect_account', 'add_funds', 'mend_account'];

/** Nothing is asked of somebody who waits for others, or about a payout that another one has replaced. */
const nextOf = (payout: PayoutPageData, { next }: Said, { allows }: Pick<PageCall, 'allows'>): Child => {
  if (mustOthersApprove(payout) || payout.replacedBy !== null) return null;
  if (!ON_ACCOUNT.includes(payout.situation.next) || !isPaidFromMerchant(payout.rail) || !allows('getRailAccounts')) return next;
  return html`${next} ${link(accountPath(payout.rail), 'Open the payout account')}`;
};

export const payoutPage = recordPage({
  path: '/console/payouts/{id}',
  audience: 'merchant',
  below: '/console/payouts',
  uses: ['getPayout', 'getPayoutTimeline', 'listPayoutItems'],
  mayUse: ['getPayoutRemittance', 'getConversion', 'getPayoutRun', ...NAMING_OPERATIONS],
  forms: payoutForms,
  async read(call) {
    const id = call.param('id');
    const params = { params: { id } };
    const { data: payout } = await call.call('getPayout', params);
    const [timeline, items, remittance, nameOfActor, actions] = await Promise.all([
      call.call('getPayoutTimeline', { ...params, query: { order: 'desc', limit: TIMELINE_ENTRIES } }),
      readItems(call),
      remittanceOf(call, payout),
      readActorNames(call),
      payoutActions(payout, call),
    ]);
    const entries = timeline.data.toReversed();
    const said = payoutSaid(payout);
    const workflow = call.workflowUrl(payoutWorkflowId(id));
    const amount = call.format.money(payout.amount, payout.currency);
    const payee = payout.affiliateName ?? payout.affiliateCode;
    const attempts = attemptsView(payout, entries, call);
    return {
      title: `${amount} to ${payee}`,
      heading: html`${amount} to ${nameOf(payee)}`,
      back: { href: '/console/payouts', label: 'Payouts' },
      links: html`${bankFileOf(call as PageCall, payout)}${remittance}${workflow !== null && html`<a class="button secondary small" href="${url(workflow)}" target="_blank" rel="noopener">Workflow</a>`}`,
      situation: { said, next: nextOf(payout, said, call), until: payout.situation.until },
      actions,
      steps: stepsOf(payout, said, call),
      facts: factsOf(payout, call, nameOfActor),
      sections: [
        { title: 'What it pays', content: itemsView(call, payout, items) },
        attempts ? { title: 'Attempts at the provider', content: attempts } : null,
        { title: 'Timeline', content: timelineView(payout, entries, { ...call, nameOfActor, isCut: timeline.meta.hasMore }) },
      ],
    };
  },
});
