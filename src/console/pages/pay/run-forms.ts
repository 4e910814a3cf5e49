import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { decodeText } from '../../../platform/csv/decode-text.ts';
import { runButtons } from '../../../texts/payout-run.finance.en.ts';
import { notice } from '../../components/blocks.ts';
import { checkboxes, radios } from '../../components/choices.ts';
import { checkbox, type Field, file, hidden, paragraph } from '../../components/fields.ts';
import { type Column, table } from '../../components/table.ts';
import { counted } from '../../counted.ts';
import { type Html, html } from '../../html.ts';
import { type Download, form, type PageCall, redirect, type View } from '../../page.ts';
import { path, url } from '../../url.ts';

const idOf = (call: Pick<PageCall, 'param'>): { params: { id: string } } => ({ params: { id: call.param('id') } });

/** What the person saw, as the page wrote it; the API compares it. */
const seenTotal = (text: string): Record<string, number> => {
  try {
    return JSON.parse(text) as Record<string, number>;
  } catch {
    return {};
  }
};

const confirm = form({
  fields: { items: hidden(), total: hidden() },
  uses: ['confirmPayoutRun'],
  async submit(call, { items, total }) {
    const { data } = await call.call('confirmPayoutRun', {
      ...idOf(call),
      body: { items: Number(items), total: seenTotal(total) },
    });
    return redirect(call.path, {
      flash: data.status === 'running' ? 'The payout run has started.' : 'Confirmed. Someone else has to approve it now.',
    });
  },
});

const approve = form({
  fields: {},
  uses: ['approvePayoutRun'],
  async submit(call) {
    await call.call('approvePayoutRun', idOf(call));
    return redirect(call.path, { flash: 'Approved. The payout run has started.' });
  },
});

const pause = form({
  fields: {},
  uses: ['pausePayoutRun'],
  async submit(call) {
    await call.call('pausePayoutRun', idOf(call));
    return redirect(call.path, { flash: 'Paused' });
  },
});

const resume = form({
  fields: {},
  uses: ['resumePayoutRun'],
  async submit(call) {
    await call.call('resumePayoutRun', idOf(call));
    return redirect(call.path, { flash: 'The payout run continues.' });
  },
});

const cancel = form({
  fields: {},
  uses: ['cancelPayoutRun'],
  async submit(call) {
    await call.call('cancelPayoutRun', idOf(call));
    return redirect(call.path, { flash: 'Cancelled' });
  },
});

const takeOut = form({
  fields: { affiliateIds: checkboxes({ label: 'Affiliates' }) },
  uses: ['removePayoutRunItem'],
  async submit(call, { affiliateIds }) {
    const { id } = idOf(call).params;
    for (const affiliateId of affiliateIds) await call.call('removePayoutRunItem', { params: { id, affiliateId } });
    const count = call.format.number(affiliateIds.length);
    return redirect(call.path, { flash: affiliateIds.length === 0 ? 'Nobody was selected' : `${count} removed` });
  },
});

type Completed = OperationSuccess<'completeRunPayouts'>['data'];

interface Report extends Pick<Completed, 'done' | 'unchanged' | 'refused' | 'remaining'> {
  /** Payouts of a file have lines. */
  items: readonly (Completed['items'][number] & { line?: number })[];
}

/** A file can have thousands. */
const MAX_SHOWN = 500;

const columnsOf = (call: PageCall, rows: Report['items']): readonly Column<Report['items'][number]>[] => [
  ...(rows.some(({ line }) => line !== undefined)
    ? [{ head: 'Line', cell: ({ line }: Report['items'][number]) => line && call.format.number(line) }]
    : []),
  {
    head: 'Payout',
    cell: ({ payoutId }) =>
      payoutId === null
        ? '–'
        : html`<a href="${url(path('/console/payouts/{id}', { id: payoutId }))}"><code>${payoutId}</code></a>`,
  },
  { head: 'Why', cell: ({ message }) => message },
];

/** What became of each payout, and why some were refused. */
const reportView = (call: PageCall, { done, unchanged, refused, remaining, items }: Report): View => {
  const rows = items.filter(({ result }) => result === 'refused');
  const content = html`${notice(
    html`<p>${call.format.number(done)} updated, ${call.format.number(unchanged)} already up to date, ${call.format.number(refused)} refused${remaining > 0 && `, ${call.format.number(remaining)} remaining: submit it again`}.</p>`,
    refused > 0 ? 'warning' : 'good',
  )}${table({ caption: 'Refused', rows: rows.slice(0, MAX_SHOWN), columns: columnsOf(call, rows), empty: html`` })}${
    rows.length > MAX_SHOWN && html`<p class="note">And ${call.format.number(rows.length - MAX_SHOWN)} more.</p>`
  }<p><a class="button primary" href="${url(call.path)}">Back to the payout run</a></p>`;
  return { title: 'Result', content };
};

const process = form({
  fields: {},
  uses: ['processRunPayouts'],
  submit: async (call) => reportView(call as PageCall, (await call.call('processRunPayouts', idOf(call))).data),
});

const complete = form({
  fields: { digest: hidden(), items: hidden(), total: hidden(), note: paragraph({ label: 'Note', rows: 2 }) },
  uses: ['completeRunPayouts'],
  async submit(call, { digest, items, total, note }) {
    const body = { digest, items: Number(items), total: seenTotal(total), note };
    return reportView(call as PageCall, (await call.call('completeRunPayouts', { ...idOf(call), body })).data);
  },
});

/** Copied from a spreadsheet: blanks at the ends of it are cells. */
const pasted: Field<string | undefined> = {
  ...paragraph({ label: 'Or paste its rows', rows: 4 }),
  parse: ([text = '']) => ({ value: text === '' ? undefined : text }),
};

const results = form({
  fields: {
    csv: file({
      label: 'Results file',
      hint: "A CSV file with the columns payoutId and result (paid, failed or returned). Optional columns: bankReference, executedAt, amount and currency. Rows without a result don't change anything",
      accept: '.csv,.txt,text/csv',
    }),
    pasted,
  },
  uses: ['importPayoutResults'],
  async submit(call, { csv: chosen, pasted: text = '' }) {
    const csv = chosen === undefined ? text : decodeText(Buffer.from(chosen, 'base64'));
    const { data } = await call.call('importPayoutResults', { ...idOf(call), body: { csv } });
    return reportView(call as PageCall, { ...data, items: data.lines });
  },
});

const FORMATS = [
  { value: 'csv', label: 'All columns' },
  { value: 'paypal', label: 'PayPal' },
  { value: 'wise', label: 'Wise' },
] as const;

type RunFiles = OperationSuccess<'getPayoutRunFile'>['data'];

const handedOutView = (call: PageCall, { payouts, lastAt, lastBy }: RunFiles['handedOut'], again: boolean): Html | false =>
  payouts > 0 &&
  lastAt !== null &&
  notice(
    html`${counted(payouts, 'payout', call)} ${payouts === 1 ? 'was' : 'were'} in an earlier file, last on ${call.format.time(lastAt)} by ${lastBy}. ${again ? 'Make sure that nobody has paid from that file.' : 'They are not in this file.'}`,
    'warning',
  );

/** Counts the payouts in progress that this format cannot pay: another format may pay the rest. */
const omittedText = (omitted: number, items: number, call: PageCall): string =>
  `${call.format.number(omitted)} of ${counted(items, 'payout', call)} in progress can't be paid with this format. Choose another one for ${omitted === 1 ? 'it' : 'them'}.`;

const filesView = (call: PageCall, { files, omitted, items, handedOut }: RunFiles, again: boolean): View => ({
  title: 'Payment files',
  content: html`${handedOutView(call, handedOut, again)}${
    files.length > 0 &&
    notice('These files have full bank details. The timeline of each payout shows that you viewed them.', 'warning')
  }${files.map(
    (file, at) =>
      html`<div class="field"><label for="file-${at}">${file.name}, ${counted(file.payouts, 'payout', call)}</label><textarea id="file-${at}" rows="8" readonly>${'\n'}${file.content}</textarea></div>`,
  )}${omitted.length > 0 && html`<p>${omittedText(omitted.length, items, call)}</p>`}${items === 0 && html`<p>No manual payouts of this payout run are in progress. Choose “${runButtons.process}” first.</p>`}<p><a class="button primary" href="${url(call.path)}">Back to the payout run</a></p>`,
});

const files = form({
  fields: {
    format: radios({ label: 'Format', required: true, options: FORMATS }),
    again: checkbox({
      label: 'Include payouts from earlier files',
      hint: 'If a file was lost before anyone paid from it',
    }),
  },
  uses: ['getPayoutRunFile'],
  async submit(call, { format, again }): Promise<View | Download> {
    const { data } = await call.call('getPayoutRunFile', { ...idOf(call), query: { format, again: again ? 'true' : 'false' } });
    const [first] = data.files;
    if (first && data.files.length === 1 && data.omitted.length === 0 && data.handedOut.payouts === 0)
      return { kind: 'download', name: first.name, contentType: 'text/csv; charset=utf-8', content: first.content };
    return filesView(call as PageCall, data, again);
  },
});

/** What people can do with a payout run. */
export const runForms = { confirm, approve, pause, resume, cancel, takeOut, process, complete, results, files };
