import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { cannotPayForMerchant } from '../../../texts/bank-files.merchant.en.ts';
import { buttonLink, emptyState, facts, notice } from '../../components/blocks.ts';
import { checkbox, date, hidden } from '../../components/fields.ts';
import type { FormView } from '../../components/form.ts';
import { table } from '../../components/table.ts';
import { counted } from '../../counted.ts';
import { type Html, html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect, type View } from '../../page.ts';
import { OperationFailed } from '../../page-call.ts';
import { refusalText } from '../../refusals.ts';
import { reasonText } from '../../said.ts';
import { path, url } from '../../url.ts';

export const BANK_FILES = '/console/pay/bank-files';
export const UNMATCHED = '/console/pay/bank-files/bookings';

type Preview = OperationSuccess<'previewBankFile'>['data'];
type Made = OperationSuccess<'makeBankFiles'>['data'];

const CAUSES: Readonly<Record<string, string>> = cannotPayForMerchant;

/** Why a payout is in no file, in words. */
const whyText = (reason: string, cause: string | null = null): string =>
  (cause === null ? undefined : CAUSES[cause]) ?? refusalText(reason) ?? reasonText(reason);

const payoutLink = (id: string, text: string): Html => html`<a href="${url(path('/console/payouts/{id}', { id }))}">${text}</a>`;

/** Some payouts are in no file: that has to be seen before anything else. */
const madeView = (call: PageCall, { files, refused, remaining }: Made): View => ({
  title: 'Result',
  content: html`${notice(
    html`<p>${counted(files.length, 'bank file', call)} made. ${refused.length > 0 && `${counted(refused.length, 'payout', call)} couldn't be put into one and still ${refused.length === 1 ? 'waits' : 'wait'}.`} ${remaining > 0 && `${counted(remaining, 'payout', call)} remaining: make a bank file again.`}</p>`,
    'warning',
  )}${table({
    caption: 'Payouts that still wait',
    rows: refused,
    columns: [
      { head: 'Payout', cell: ({ payoutId }) => payoutLink(payoutId, 'View payout') },
      { head: 'Why', cell: ({ reason }) => whyText(reason) },
    ],
    empty: html``,
  })}<ul>${files.map(({ id, name }) => html`<li><a href="${url(path('/console/pay/bank-files/{id}', { id }))}">${name}</a></li>`)}</ul><p>${buttonLink(BANK_FILES, 'View bank files', 'primary')}</p>`,
});

const make = form({
  fields: {
    runId: hidden(),
    payoutId: hidden(),
    executionDate: date({ label: 'Execution date', hint: 'A day on which banks in the euro area settle payments' }),
    instant: checkbox({
      label: 'Instant payments',
      hint: 'Executed within seconds. Some banks charge for it, or take such files elsewhere',
    }),
  },
  uses: ['makeBankFiles'],
  async submit(call, { runId, payoutId, ...more }) {
    const of = { ...(runId !== '' && { runId }), ...(payoutId !== '' && { payoutId }) };
    const { data } = await call.call('makeBankFiles', { body: { ...of, ...more } });
    const [first, ...others] = data.files;
    if (!first || data.refused.length + data.remaining > 0) return madeView(call as PageCall, data);
    const flash =
      others.length === 0 ? 'The bank file is ready to download.' : `${data.files.length} bank files are ready to download.`;
    return redirect(others.length === 0 ? path('/console/pay/bank-files/{id}', { id: first.id }) : BANK_FILES, { flash });
  },
});

const changedView = ({ changedNames, changed }: Preview, call: PageCall): Html | false =>
  changedNames > 0 &&
  html`<h2>Names that are written differently</h2><p>${counted(changedNames, 'name', call)} ${changedNames === 1 ? 'contains' : 'contain'} characters that your bank doesn't take. The bank compares the name in the file with the account.</p>${table(
    {
      caption: 'Names that are written differently',
      rows: changed,
      columns: [
        { head: 'Payee', cell: ({ payee }) => nameOf(payee) },
        { head: 'In the file', cell: ({ payeeAsSent }) => nameOf(payeeAsSent) },
        { head: 'Payout', cell: ({ payoutId, affiliateCode }) => payoutLink(payoutId, affiliateCode) },
      ],
      empty: html``,
    },
  )}${changed.length < changedNames && html`<p class="note">And ${call.format.number(changedNames - changed.length)} more.</p>`}`;

const heldView = ({ leftOut, heldBack, currency }: Preview, call: PageCall): Html | false =>
  leftOut > 0 &&
  html`<h2>Not in this file</h2>${table({
    caption: 'Payouts that are not in this file',
    rows: heldBack,
    columns: [
      { head: 'Payout', cell: ({ payoutId, affiliateCode }) => payoutLink(payoutId, affiliateCode) },
      { head: 'Amount', align: 'end', cell: ({ amount }) => (currency === null ? '–' : call.format.money(amount, currency)) },
      { head: 'Why', cell: ({ reason, cause }) => whyText(reason, cause) },
    ],
    empty: html``,
  })}${heldBack.length < leftOut && html`<p class="note">And ${call.format.number(leftOut - heldBack.length)} more.</p>`}`;

const NOTHING = emptyState({
  icon: 'check',
  title: 'No payouts are waiting for a bank file',
  text: 'Bank transfers that are paid by SEPA wait here once their payout exists.',
  action: buttonLink('/console/pay', 'Go to Pay', 'primary'),
});

export const NO_BANK_ACCOUNT = emptyState({
  icon: 'money',
  title: 'Connect your bank account first',
  text: 'A bank file pays from an account of your company. You need its IBAN and the name of its holder.',
  action: buttonLink('/console/settings/payout-accounts', 'Go to Payout accounts', 'primary'),
});

/** Null: no bank account is connected. */
export const readPreview = async (
  call: PageCall<'previewBankFile'>,
  query: Readonly<Record<string, string>> = {},
): Promise<Preview | null> => {
  const read = await call.attempt('previewBankFile', { query });
  if (!('error' in read)) return read.data;
  if (read.error.details?.['cause'] === 'no_account') return null;
  throw new OperationFailed(read);
};

const previewView = (preview: Preview, form: Html, call: PageCall): Html => {
  const { payments, total, currency, account, files } = preview;
  if (currency === null) return NOTHING;
  return html`${
    payments > 0 &&
    html`<div class="card">${facts([
      ['Payments', call.format.number(payments)],
      ['Total', call.format.money(total, currency)],
      ['Paid from', account],
      ['Files', files > 1 ? `${call.format.number(files)}: your bank takes a limited number of payments in each` : null],
    ])}${form}</div>`
  }${changedView(preview, call)}${heldView(preview, call)}`;
};

/** Read from the address, or from the form that is shown again: its address has no parameters. */
const waitingOf = ({ query }: PageCall, sent: Pick<FormView<typeof make.fields>, 'sentTexts'>) => ({
  runId: sent.sentTexts('runId')[0] ?? query['runId'] ?? '',
  payoutId: sent.sentTexts('payoutId')[0] ?? query['payoutId'] ?? '',
});

/** What a file would hold, and the button that makes it. */
export const newBankFilePage = page({
  path: '/console/pay/bank-files/new',
  audience: 'merchant',
  below: '/console/pay',
  uses: ['previewBankFile'],
  forms: { make },
  async view(call, { make: sent }) {
    const { runId, payoutId } = waitingOf(call as PageCall, sent);
    const preview = await readPreview(call, { ...(runId && { runId }), ...(payoutId && { payoutId }) });
    const isOne = payoutId !== '';
    const filled = sent.fill({
      runId,
      payoutId,
      ...(preview && { executionDate: preview.executionDate, instant: preview.instant }),
    });
    const explained = html`<p>Once the file is made, its payouts can't be cancelled. You can discard the file as long as your bank hasn't accepted it.</p>${
      isOne && html`<p>Your bank always compares the name of the payee of a single payment.</p>`
    }${filled.field('runId')}${filled.field('payoutId')}${filled.field('executionDate', { isRequired: true })}${filled.field('instant')}`;
    const shown = filled.render({ submit: 'Make bank file', content: explained });
    return {
      title: isOne ? 'New bank file for one payout' : 'New bank file',
      content: html`<p class="trail"><a href="${url(BANK_FILES)}">Bank files</a></p>${
        preview ? previewView(preview, shown, call as PageCall) : NO_BANK_ACCOUNT
      }`,
    };
  },
});
