import type { BankFileStatus } from '../../../contracts/bank-files.ts';
import { NAMING_OPERATIONS, readActorNames } from '../../actor-names.ts';
import { badge, buttonLink, notice } from '../../components/blocks.ts';
import { table } from '../../components/table.ts';
import { counted } from '../../counted.ts';
import { type Html, html } from '../../html.ts';
import { list, SIZES } from '../../list.ts';
import { listPage } from '../../list-page.ts';
import type { PageCall } from '../../page.ts';
import { path, url } from '../../url.ts';
import { payTabs } from '../pay/pay-tabs.ts';
import { bankFileSaid } from './bank-file-said.ts';
import { importStatement, kindText, outcomesText } from './import-statement.ts';
import { BANK_FILES, NO_BANK_ACCOUNT, readPreview, UNMATCHED } from './new-bank-file.ts';

const STATUS_LABELS: Readonly<Record<BankFileStatus, string>> = {
  ready: 'Ready or at the bank',
  discarded: 'Discarded',
  making: 'Being made',
  discarding: 'Being discarded',
};

const files = list({
  id: 'bank-files',
  operation: 'listBankFiles',
  caption: () => 'Bank files',
  filters: [
    { name: 'status', label: 'Status', options: Object.entries(STATUS_LABELS).map(([value, label]) => ({ value, label })) },
  ],
  linked: ['runId'],
  href: ({ id }) => path('/console/pay/bank-files/{id}', { id }),
  sizes: SIZES,
  columns: async (call) => {
    const nameOfActor = await readActorNames(call);
    const { format } = call;
    return [
      { id: 'file', head: 'File', cell: ({ name }) => name },
      { id: 'state', head: 'Status', cell: (file) => badge(bankFileSaid(file).label, bankFileSaid(file).tone) },
      { id: 'payments', head: 'Payouts', align: 'end', cell: ({ payments }) => format.number(payments) },
      { id: 'total', head: 'Total', align: 'end', cell: ({ total, currency }) => format.money(total, currency) },
      { id: 'day', head: 'Execution date', cell: ({ executionDate }) => format.day(executionDate) },
      { id: 'account', head: 'Paid from', cell: ({ account }) => account },
      {
        id: 'made',
        head: 'Made',
        cell: ({ createdAt, createdBy }) => html`<span>${format.date(createdAt)}, ${nameOfActor(createdBy)}</span>`,
      },
    ];
  },
  noMatch: () => ({ icon: 'search', title: 'No bank files match', action: buttonLink(BANK_FILES, 'Show all bank files') }),
  empty: () => ({
    icon: 'down',
    title: 'No bank files yet',
    text: 'Bank transfers are paid by a file that you upload in your online banking. Make one when payouts are waiting for it.',
  }),
});

/** What waits for a file, for whoever may make one. */
const waitingView = async (call: PageCall): Promise<Html | false> => {
  if (!call.allows('previewBankFile')) return false;
  const preview = await readPreview(call);
  if (preview === null) return NO_BANK_ACCOUNT;
  const { payments, total, currency, leftOut } = preview;
  if (currency === null) return false;
  const more = leftOut > 0 && ` ${counted(leftOut, 'payout', call)} can't be put into one yet.`;
  return notice(
    html`<p>${counted(payments, 'payout', call)} ${payments === 1 ? 'is' : 'are'} waiting for a bank file: <strong>${call.format.money(total, currency)}</strong>.${more}</p><p>${buttonLink(path('/console/pay/bank-files/new'), payments > 0 ? 'Make bank file' : 'See why', 'primary')}</p>`,
    'warning',
  );
};

/** Messages of banks that are shown below the upload. */
const RECENT = '5';

const recentView = async (call: PageCall<'listBankImports' | 'listUnmatchedBookings'>): Promise<Html> => {
  const [{ data }, unmatched] = await Promise.all([
    call.call('listBankImports', { query: { limit: RECENT } }),
    call.call('listUnmatchedBookings', { query: { limit: '1' } }),
  ]);
  const { total } = unmatched.meta as { total: number };
  return html`${
    total > 0 &&
    notice(
      html`<p><a href="${url(UNMATCHED)}">${counted(total, 'booking', call)}</a> of your bank couldn't be matched.</p>`,
      'warning',
    )
  }<h3>Uploaded last</h3>${table({
    caption: "Your bank's files that were uploaded last",
    rows: data,
    columns: [
      { head: 'Uploaded', cell: ({ createdAt }) => call.format.time(createdAt) },
      { head: 'File', cell: (row) => kindText(row) },
      { head: 'Number at the bank', cell: ({ messageId }) => messageId ?? '–' },
      { head: 'What it changed', cell: (row) => outcomesText(row, call) },
    ],
    empty: html`<p class="note">No file of your bank was uploaded yet.</p>`,
  })}`;
};

export const bankFilesPage = listPage({
  list: files,
  path: BANK_FILES,
  audience: 'merchant',
  below: '/console/pay',
  uses: ['listBankImports', 'listUnmatchedBookings'],
  mayUse: ['previewBankFile', ...NAMING_OPERATIONS],
  forms: { importStatement },
  title: () => 'Bank files',
  above: async (call) => html`${payTabs(call)}${await waitingView(call)}`,
  after: async (call, { importStatement: sent }) =>
    html`<section><h2>From your bank</h2>${
      sent.isAllowed &&
      html`<div class="card">${sent.render({ submit: 'Upload', content: sent.field('bankFile', { isRequired: true }) })}</div>`
    }${await recentView(call)}</section>`,
});
