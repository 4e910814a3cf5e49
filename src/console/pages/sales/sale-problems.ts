import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { ageOf } from '../../age.ts';
import { select } from '../../components/choices.ts';
import { paragraph, text } from '../../components/fields.ts';
import { html, nothing } from '../../html.ts';
import { list } from '../../list.ts';
import { listPage } from '../../list-page.ts';
import { form, redirect } from '../../page.ts';

export type SaleProblem = OperationSuccess<'listSaleProblems'>['data'][number];

/** What happened, and what it means. */
const REASONS: Readonly<Record<SaleProblem['reason'], string>> = {
  PROGRAM_UNKNOWN: "We can't tell which program the payment belongs to, so no affiliate is credited.",
  UNREADABLE: "We couldn't read the event, so nothing was booked.",
  PAYLOAD_MISMATCH: 'The event says something else than the one we booked. What came first counts.',
  REJECTED: 'The event breaks a rule, so nothing was booked.',
  BEFORE_SALE: 'The refund is dated before its sale, so it was not applied.',
  OTHER_CURRENCY: 'The refund is in another currency than the sale, so it was not applied.',
  UNUSABLE_FIELDS: "The payment is booked, without fields that we couldn't use. Check whether one of them names an affiliate.",
  NOT_RECORDED: "A payment was captured, and we don't know its Checkout Session, so no sale was booked.",
};

const credit = form({
  fields: {
    saleId: select({ label: 'Payment', required: true }),
    code: text({ label: 'Referral code of the affiliate', required: true, maxLength: 50, path: 'affiliateId' }),
    note: paragraph({ label: 'Why this affiliate', required: true, rows: 2 }),
  },
  uses: ['attributeSale', 'listAffiliates'],
  async submit(call, { saleId, code, note }) {
    const { data } = await call.call('listAffiliates', { query: { search: code, limit: '100' } });
    const affiliate = data.find((found) => found.code.toLowerCase() === code.toLowerCase());
    if (!affiliate) return redirect(call.path, { flash: `No affiliate has the code ${code}`, tone: 'bad' });
    await call.call('attributeSale', { params: { id: saleId }, body: { affiliateId: affiliate.id, note } });
    return redirect(call.path, { flash: 'Credited: the commission is in its hold period' });
  },
});

const close = form({
  fields: {
    problemId: select({ label: 'Event', required: true }),
    note: paragraph({ label: 'What you found', required: true, rows: 2 }),
  },
  uses: ['resolveSaleProblem'],
  async submit(call, { problemId: id, note }) {
    await call.call('resolveSaleProblem', { params: { id }, body: { note } });
    return redirect(call.path, { flash: 'Closed' });
  },
});

const nameOf = ({ objectId, eventId }: SaleProblem): string => objectId ?? eventId;

const problems = list({
  id: 'problems',
  operation: 'listSaleProblems',
  fixed: { open: 'true' },
  caption: () => 'Payments to check',
  sizes: [50, 100],
  columns: () => [
    { id: 'payment', head: 'Payment', cell: nameOf },
    {
      id: 'reason',
      head: 'What happened',
      cell: ({ reason, detail, fields }) =>
        html`${REASONS[reason]}${[detail, fields?.join(', ')].map((more) => (more ? html` <code>${more}</code>` : nothing))}`,
    },
    { id: 'event', head: 'Event', cell: ({ eventType, eventId }) => html`${eventType} <code>${eventId}</code>` },
    { id: 'age', head: 'Waiting', cell: ({ createdAt }) => ageOf(createdAt) },
  ],
  empty: () => ({
    icon: 'check',
    title: 'Nothing to check',
    text: 'Payments whose affiliate is unclear, and events that could not be booked, appear here.',
  }),
});

/** Payments and refunds that could not be booked, or whose affiliate is unclear. */
export const saleProblemsPage = listPage({
  list: problems,
  path: '/console/sale-problems',
  audience: 'merchant',
  below: '/console',
  forms: { credit, close },
  title: () => 'Payments to check',
  above: () =>
    html`<p>Your payment system reported these events, and we couldn't book them on our own. Look them up there by their id.</p>`,
  after(_call, { credit, close }, rows) {
    const unclear = rows.filter(({ saleId }) => saleId !== null);
    const sales = unclear.map((problem) => ({ value: problem.saleId ?? '', label: nameOf(problem) }));
    const events = rows.map((problem) => ({ value: problem.id, label: `${nameOf(problem)} (${problem.eventType})` }));
    const creditFields = html`${credit.field('saleId', { options: sales })}${credit.field('code')}${credit.field('note')}`;
    const closeFields = html`${close.field('problemId', { options: events })}${close.field('note')}`;
    return html`${
      ((sales.length > 0 && credit.isAllowed) || credit.isSent) &&
      html`<h2>Credit an affiliate</h2>${credit.render({ submit: 'Credit', content: creditFields })}`
    }${
      ((rows.length > 0 && close.isAllowed) || close.isSent) &&
      html`<h2>Close without a change</h2>${close.render({ submit: 'Close', content: closeFields })}`
    }`;
  },
});
