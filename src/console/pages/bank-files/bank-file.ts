import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import {
  bankReasonText,
  bankStateText,
  filedPaymentForMerchant,
  payeeCheckForMerchant,
} from '../../../texts/bank-files.merchant.en.ts';
import type { ActionsOf, AnyForms } from '../../actions.ts';
import { type ActorNames, NAMING_OPERATIONS, readActorNames } from '../../actor-names.ts';
import { badge, facts, figures } from '../../components/blocks.ts';
import { paragraph, text } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { counted } from '../../counted.ts';
import { type Child, type Html, html } from '../../html.ts';
import { list, SIZES } from '../../list.ts';
import { nameOf } from '../../name.ts';
import { type Download, form, type PageCall, redirect } from '../../page.ts';
import { recordPage } from '../../record-page.ts';
import { refusalText, waitingForApproval } from '../../refusals.ts';
import { path, url } from '../../url.ts';
import { bankFileSaid } from './bank-file-said.ts';
import { BANK_FILES } from './new-bank-file.ts';

type FileRecord = OperationSuccess<'getBankFile'>['data'];
type Line = OperationSuccess<'listBankFileLines'>['data'][number];
type FileEvent = OperationSuccess<'listBankFileHistory'>['data'][number];

const download = form({
  fields: {},
  uses: ['getBankFileContent'],
  async submit(call): Promise<Download> {
    const { data } = await call.call('getBankFileContent', { params: { id: call.param('id') } });
    return { kind: 'download', name: data.name, contentType: 'application/xml; charset=utf-8', content: data.content };
  },
});

const discard = form({
  fields: {
    note: paragraph({ label: 'Why does no bank execute it?', required: true, rows: 2, path: 'note' }),
    fileName: text({ label: 'Name of the file', maxLength: 60, path: 'name' }),
  },
  uses: ['discardBankFile'],
  async submit(call, { note, fileName: name }) {
    const { data } = await call.call('discardBankFile', { params: { id: call.param('id') }, body: { note, name } });
    const isDone = data.status === 'discarded';
    return redirect(call.path, {
      flash: isDone ? 'Discarded. Its payouts are payable again.' : 'Some payouts are left: discard it again to finish.',
      tone: isDone ? 'good' : 'bad',
    });
  },
});

const actionsOf = async (file: FileRecord, { discard: sent }: AnyForms, call: PageCall): Promise<ActionsOf> => {
  const { results, discardAsks, name, total, currency, payments } = file;
  const isSecond = discardAsks === 'second_actor';
  const others = isSecond ? await waitingForApproval(call, [file.createdBy, ...file.downloadedBy]) : null;
  const isWhole = results.open === payments;
  const again = results.open === payments && file.acceptedAt === null ? 'Download again' : 'Download a copy';
  return {
    offers: file.availableActions,
    looks: {
      download: { form: 'download', label: file.downloads > 0 ? again : 'Download', isDownload: true },
      discard: {
        form: 'discard',
        label: 'Discard',
        title: 'Discard this bank file?',
        tone: 'danger',
        confirm: html`${facts([
          [
            'Payable again',
            isWhole
              ? `${call.format.money(total, currency)} to ${counted(payments, 'affiliate', call)}`
              : counted(results.open, 'payout', call),
          ],
          ['Downloaded', file.downloads === 0 ? 'Never' : counted(file.downloads, 'time', call)],
        ])}<p>The next payout run pays these affiliates again. Only discard a file that no bank executes: you never uploaded it, or you cancelled it at your bank.</p>`,
        content: html`${sent?.field('note')}${discardAsks === 'name' && sent?.field('fileName', { isRequired: true, hint: `Someone downloaded this file and could still upload it. Enter ${name}` })}`,
      },
    },
    next: file.downloads === 0 ? ['download', ...(isSecond ? ['discard'] : [])] : [],
    refusal: (action, code) => (action === 'discard' && code === 'SAME_ACTOR' ? others : refusalText(code)),
  };
};

const saidView = ({ state, reason }: Line): Child => {
  if (state === null) return '–';
  return reason === null ? bankStateText(state) : bankReasonText(reason);
};

const CHECKS: Readonly<Record<string, string>> = payeeCheckForMerchant;

const checkView = ({ payeeCheck, suggestedName }: Line): Child =>
  payeeCheck === null
    ? '–'
    : html`<span>${CHECKS[payeeCheck] ?? payeeCheck}${suggestedName !== null && html`<br>The bank suggests ${nameOf(suggestedName)}`}</span>`;

const payeeView = ({ payee, payeeAsSent, affiliateCode }: Line): Child => {
  if (payee === null) return affiliateCode;
  return html`<span>${nameOf(payeeAsSent ?? payee)}${payeeAsSent !== null && payeeAsSent !== payee && html`<br><span class="note">Entered as ${nameOf(payee)}</span>`}</span>`;
};

const LINE_TONES = { open: 'neutral', accepted: 'neutral', paid: 'good', failed: 'bad', returned: 'bad' } as const;

const lines = list({
  id: 'bank-file-lines',
  operation: 'listBankFileLines',
  params: (call) => ({ id: call.param('id') }),
  caption: () => 'Payouts of the bank file',
  href: ({ payoutId }) => path('/console/payouts/{id}', { id: payoutId }),
  sizes: SIZES,
  columns: (call, rows) => [
    { id: 'payee', head: 'Payee', cell: payeeView },
    { id: 'amount', head: 'Amount', align: 'end', cell: ({ amount, currency }) => call.format.money(amount, currency) },
    { id: 'to', head: 'To', cell: ({ account }) => account ?? '–' },
    { id: 'status', head: 'Status', cell: ({ status }) => badge(filedPaymentForMerchant[status], LINE_TONES[status]) },
    { id: 'said', head: 'The bank says', cell: saidView },
    ...(rows.some(({ payeeCheck }) => payeeCheck !== null) ? [{ id: 'check', head: 'Payee check', cell: checkView }] : []),
  ],
  empty: () => ({ icon: 'people', title: 'No payouts yet' }),
});

const eventText = ({ type, message, state, payments }: FileEvent, call: PageCall): Child => {
  if (type === 'made') return payments === null ? 'Made' : `Made with ${counted(payments, 'payout', call)}`;
  if (type === 'downloaded') return 'Downloaded';
  if (type === 'discarded') return 'Discarded';
  const about = payments === null || payments === 0 ? '' : `, about ${counted(payments, 'payout', call)}`;
  return html`<span>Your bank's file ${message !== null && html`<code>${message}</code>`}: ${state === null ? 'bookings' : bankStateText(state)}${about}</span>`;
};

const historyView = async (call: PageCall<'listBankFileHistory'>, nameOfActor: ActorNames): Promise<Html> => {
  const { data, meta } = await call.call('listBankFileHistory', {
    params: { id: call.param('id') },
    query: { limit: '50' },
  });
  return html`${table({
    caption: 'History',
    rows: data,
    columns: [
      { head: 'When', cell: ({ createdAt }) => call.format.time(createdAt) },
      { head: 'What', cell: (event) => eventText(event, call as PageCall) },
      { head: 'Who', cell: ({ by }) => nameOfActor(by) },
    ],
    empty: html``,
  })}${meta.hasMore && html`<p class="note">The newest ${call.format.number(data.length)} of ${call.format.number(meta.total ?? data.length)}.</p>`}`;
};

const figuresOf = ({ results, currency, total, payments }: FileRecord, { format }: PageCall): Html =>
  figures([
    { label: 'Total', value: format.money(total, currency), note: `${format.number(payments)} payouts` },
    { label: 'Paid', value: format.number(results.paid), tone: results.paid > 0 ? 'good' : 'neutral' },
    { label: 'Waiting for the bank', value: format.number(results.open + results.accepted) },
    {
      label: 'Rejected or returned',
      value: format.number(results.failed + results.returned),
      tone: results.failed + results.returned > 0 ? 'warning' : 'neutral',
    },
  ]);

const factsOf = (file: FileRecord, call: PageCall, nameOfActor: ActorNames): (readonly [string, Child])[] => {
  const { format } = call;
  const kind = `${file.instant ? 'Instant payments' : 'Credit transfers'}${file.single ? ', made for one payout' : ''}`;
  return [
    ['Execution date', format.day(file.executionDate)],
    ['Paid from', file.account],
    ['Kind', kind],
    [
      'Payout run',
      file.runId !== null && call.allows('getPayoutRun')
        ? html`<a href="${url(path('/console/pay/runs/{id}', { id: file.runId }))}">View payout run</a>`
        : null,
    ],
    ['Made', html`${format.time(file.createdAt)}, ${nameOfActor(file.createdBy)}`],
    ['Last download', file.downloadedAt && format.time(file.downloadedAt)],
    ['Handed to the bank program', file.handedOverAt && format.time(file.handedOverAt)],
    ['The bank says about the file', file.bankState && bankStateText(file.bankState)],
    [
      'Discarded',
      file.discardedAt &&
        html`${format.time(file.discardedAt)}${file.discardedBy !== null && html`, ${nameOfActor(file.discardedBy)}`}`,
    ],
    ['Why', file.discardNote],
    ['Number at the bank', html`<code>${file.messageId}</code>`],
    ['SHA-256', file.digest && html`<code>${file.digest}</code>`],
  ];
};

export const bankFilePage = recordPage({
  path: '/console/pay/bank-files/{id}',
  audience: 'merchant',
  below: '/console/pay',
  uses: ['getBankFile', 'listBankFileHistory'],
  mayUse: ['listBankFileLines', 'getPayoutRun', ...NAMING_OPERATIONS],
  forms: { download, discard },
  async read(given, forms) {
    const call = given as PageCall;
    const { data: file } = await call.call('getBankFile', { params: { id: call.param('id') } });
    const [nameOfActor, actions] = await Promise.all([readActorNames(call), actionsOf(file, forms, call)]);
    const [history, shown] = await Promise.all([
      historyView(call, nameOfActor),
      call.allows('listBankFileLines') ? lines.show(call) : null,
    ]);
    return {
      title: file.name,
      back: { href: BANK_FILES, label: 'Bank files' },
      situation: { said: bankFileSaid(file) },
      actions,
      figures: figuresOf(file, call),
      facts: factsOf(file, call, nameOfActor),
      sections: [shown ? { title: 'Payouts', content: shown.content } : null, { title: 'History', content: history }],
    };
  },
});
