import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { ageOf } from '../../age.ts';
import { emptyState } from '../../components/blocks.ts';
import { select } from '../../components/choices.ts';
import { paragraph, text } from '../../components/fields.ts';
import { pager, table } from '../../components/table.ts';
import { html, nothing } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';

export type SaleProblem = OperationSuccess<'listSaleProblems'>['data'][number];

const PER_PAGE = '50';

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

/** Payments and refunds that could not be booked, or whose affiliate is unclear. */
export const saleProblemsPage = page({
  path: '/console/sale-problems',
  audience: 'merchant',
  below: '/console',
  uses: ['listSaleProblems'],
  forms: { credit, close },
  async view(call, { credit, close }) {
    const { cursor } = call.query;
    const { data, meta } = await call.call('listSaleProblems', { query: { open: 'true', limit: PER_PAGE, cursor } });
    const unclear = data.filter(({ saleId }) => saleId !== null);
    const sales = unclear.map((problem) => ({ value: problem.saleId ?? '', label: nameOf(problem) }));
    const events = data.map((problem) => ({ value: problem.id, label: `${nameOf(problem)} (${problem.eventType})` }));
    const creditFields = html`${credit.field('saleId', { options: sales })}${credit.field('code')}${credit.field('note')}`;
    const closeFields = html`${close.field('problemId', { options: events })}${close.field('note')}`;
    return {
      title: 'Payments to check',
      content: html`<p>Your payment system reported these events, and we couldn't book them on our own. Look them up there by their id.</p>${table(
        {
          caption: 'Payments to check',
          rows: data,
          columns: [
            { head: 'Payment', cell: nameOf },
            {
              head: 'What happened',
              cell: ({ reason, detail, fields }) =>
                html`${REASONS[reason]}${[detail, fields?.join(', ')].map((more) => (more ? html` <code>${more}</code>` : nothing))}`,
            },
            { head: 'Event', cell: ({ eventType, eventId }) => html`${eventType} <code>${eventId}</code>` },
            { head: 'Waiting', cell: ({ createdAt }) => ageOf(createdAt) },
          ],
          empty: emptyState({
            icon: 'check',
            title: 'Nothing to check',
            text: 'Payments whose affiliate is unclear, and events that could not be booked, appear here.',
          }),
        },
      )}${data.length > 0 ? pager(call, meta, data.length) : nothing}${
        (sales.length > 0 && credit.isAllowed) || credit.isSent
          ? html`<h2>Credit an affiliate</h2>${credit.render({ submit: 'Credit', content: creditFields })}`
          : nothing
      }${
        (data.length > 0 && close.isAllowed) || close.isSent
          ? html`<h2>Close without a change</h2>${close.render({ submit: 'Close', content: closeFields })}`
          : nothing
      }`,
    };
  },
});
