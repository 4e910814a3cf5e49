import { payoutButtons } from '../../../texts/payout.finance.en.ts';
import { ageOf } from '../../age.ts';
import { badge, emptyState, notice } from '../../components/blocks.ts';
import { checkboxes, radios } from '../../components/choices.ts';
import { type Field, paragraph } from '../../components/fields.ts';
import type { FormView } from '../../components/form.ts';
import { table } from '../../components/table.ts';
import { attributes, type Html, html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { payoutSaid, reasonText } from '../../said.ts';
import { path, url } from '../../url.ts';
import type { PayoutData } from '../payouts/payout-offers.ts';
import { payTabs } from './pay-tabs.ts';

const PER_LIST = '100';
/** Manual payouts are listed among all others, so several lists are read. The rest appears once these are done. */
const MAX_LISTS = 5;
/** For both statuses: fewer than two lists each. */
const MAX_ROWS = 4 * Number(PER_LIST);

/** The same input in each row of a table: one text for each row, in their order. */
const texts = (label: string): Field<readonly string[]> => ({
  label,
  isRequired: false,
  shape: 'hidden',
  maxTexts: MAX_ROWS,
  parse: (raw) => ({ value: raw.map((each) => each.trim()) }),
  write: (value) => value,
  control: () => html``,
});

const DONE = [
  { value: 'process', label: payoutButtons.process, hint: "From then on, they can't be cancelled" },
  { value: 'complete', label: payoutButtons.complete, hint: 'Enter the bank reference where you have one' },
  { value: 'fail', label: payoutButtons.fail, hint: 'The amounts are payable again' },
] as const;

type Done = (typeof DONE)[number]['value'];
type Recording = PageCall<'processPayout' | 'completePayout' | 'failPayout'>;

/** One payout. A refusal is reported, and the others are still done. */
const recordOne = async (call: Recording, done: Done, of: { id: string; bankReference: string; note: string | undefined }) => {
  const params = { params: { id: of.id } };
  const { note } = of;
  if (done === 'process') return call.attempt('processPayout', params);
  if (done === 'fail') return call.attempt('failPayout', { ...params, body: { note } });
  const bankReference = of.bankReference === '' ? undefined : of.bankReference;
  return call.attempt('completePayout', { ...params, body: { note, bankReference } });
};

const record = form({
  fields: {
    payoutIds: checkboxes({ label: 'Payouts' }),
    rows: texts('Rows'),
    references: texts('References'),
    done: radios({ label: 'What happened', required: true, options: DONE }),
    note: paragraph({ label: 'Note', rows: 2 }),
  },
  uses: ['processPayout', 'completePayout', 'failPayout'],
  async submit(call, { payoutIds, rows, references, done, note }) {
    if (payoutIds.length === 0) return redirect(call.path, { flash: 'Select payouts first', tone: 'bad' });
    const refused: string[] = [];
    for (const id of payoutIds) {
      const result = await recordOne(call, done, { id, bankReference: references[rows.indexOf(id)] ?? '', note });
      if ('error' in result) refused.push(result.error.message);
    }
    const count = call.format.number(payoutIds.length - refused.length);
    if (refused.length === 0) return redirect(call.path, { flash: `${count} recorded` });
    const why = [...new Set(refused)].join('. ');
    return redirect(call.path, { flash: `${count} recorded, ${refused.length} refused: ${why}`, tone: 'bad' });
  },
});

/** What was selected and typed in the rows of a form that is shown again, by payout. */
interface Typed {
  chosen: ReadonlySet<string>;
  references: ReadonlyMap<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: forms with any fields
const typedOf = (sent: FormView<any>): Typed => {
  const references = sent.sentTexts('references');
  return {
    chosen: new Set(sent.sentTexts('payoutIds')),
    references: new Map(sent.sentTexts('rows').map((id, at) => [id, references[at] ?? ''])),
  };
};

const payeeCell = ({ id, affiliateName, affiliateCode }: PayoutData, typed: Typed | null): Html => {
  const name = affiliateName ?? affiliateCode;
  const link = html`<a href="${url(path('/console/payouts/{id}', { id }))}">${nameOf(name)}</a>`;
  if (typed === null) return link;
  return html`<span class="box"><input type="checkbox" name="payoutIds" value="${id}" aria-label="Select ${name}"${attributes({ checked: typed.chosen.has(id) })}><input type="hidden" name="rows" value="${id}">${link}</span>`;
};

interface Waiting {
  payouts: PayoutData[];
  /** False when there are older payouts that were not read. */
  isAll: boolean;
}

/** Those on hold must not be paid now: their own pages say why. */
const isToPay = ({ situation }: PayoutData): boolean => situation.state === 'to_pay';

const readWaiting = async (call: PageCall<'listPayouts'>, status: 'pending' | 'processing'): Promise<Waiting> => {
  const payouts: PayoutData[] = [];
  let cursor: string | undefined;
  for (let lists = 0; lists < MAX_LISTS && payouts.length < Number(PER_LIST); lists++) {
    const { data, meta } = await call.call('listPayouts', { query: { status, limit: PER_LIST, cursor } });
    payouts.push(...data.filter(isToPay));
    cursor = meta.nextCursor;
    if (cursor === undefined) break;
  }
  return { payouts, isAll: cursor === undefined };
};

const NOT_ALL = notice(
  'This page shows manual payouts among the newest open payouts. Older ones appear once these are done. The page and the payment file of a payout run contain all of its payouts.',
  'warning',
);

const statusCell = (payout: PayoutData): Html => {
  const { label, tone } = payoutSaid(payout);
  const { reason } = payout.situation;
  return html`${badge(label, tone)}${reason !== null && html` <span class="note">${reasonText(reason)}</span>`}`;
};

const listView = (call: PageCall, { payouts: rows, isAll }: Waiting, typed: Typed | null): Html =>
  table({
    caption: 'Manual payouts to pay',
    rows,
    columns: [
      { head: 'Payee', cell: (payout) => payeeCell(payout, typed) },
      { head: 'Amount', align: 'end', cell: ({ amount, currency }) => call.format.money(amount, currency) },
      { head: 'Status', cell: statusCell },
      { head: 'Program', cell: ({ programName }) => nameOf(programName) },
      { head: 'Waiting', cell: ({ createdAt }) => ageOf(createdAt) },
      ...(typed !== null
        ? [
            {
              head: 'Bank reference',
              cell: ({ id, affiliateName, affiliateCode }: PayoutData) =>
                html`<input name="references" value="${typed.references.get(id) ?? ''}" maxlength="140" autocomplete="off" aria-label="Reference for ${affiliateName ?? affiliateCode}">`,
            },
          ]
        : []),
    ],
    empty: emptyState({
      icon: 'check',
      title: isAll ? 'No manual payouts to pay' : 'No manual payouts among the newest',
      text: 'Payouts that you make yourself appear here, such as bank transfers.',
    }),
  });

/** Payouts that somebody makes outside this program. */
export const byHandPage = page({
  path: '/console/pay/by-hand',
  audience: 'merchant',
  below: '/console/pay',
  uses: ['listPayouts'],
  forms: { record },
  async view(call, { record: sent }) {
    const [pending, processing] = await Promise.all([readWaiting(call, 'pending'), readWaiting(call, 'processing')]);
    const payouts = [...pending.payouts, ...processing.payouts].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    const isAll = pending.isAll && processing.isAll;
    const canRecord = sent.isAllowed && payouts.length > 0;
    const list = listView(call as PageCall, { payouts, isAll }, canRecord ? typedOf(sent) : null);
    return {
      title: 'Manual payouts',
      content: html`${payTabs(call)}${!isAll && NOT_ALL}${
        canRecord || sent.isSent
          ? html`<div>${sent.render({ submit: 'Record', content: html`${list}${sent.field('done')}${sent.field('note')}` })}</div>`
          : list
      }`,
    };
  },
});
