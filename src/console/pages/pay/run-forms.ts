import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { notice } from '../../components/blocks.ts';
import { checkboxes, radios } from '../../components/choices.ts';
import { hidden, paragraph } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { html } from '../../html.ts';
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
      flash: data.status === 'running' ? 'The run has started' : 'A second person has to approve it',
    });
  },
});

const approve = form({
  fields: {},
  uses: ['approvePayoutRun'],
  async submit(call) {
    await call.call('approvePayoutRun', idOf(call));
    return redirect(call.path, { flash: 'Approved: the run has started' });
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
    return redirect(call.path, { flash: 'The run goes on' });
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
    return redirect(call.path, { flash: affiliateIds.length === 0 ? 'Nobody was chosen' : `${count} taken out` });
  },
});

type Report = Pick<OperationSuccess<'completeRunPayouts'>['data'], 'done' | 'unchanged' | 'refused' | 'remaining' | 'items'>;

/** What became of each; those that were refused are explained. */
const reportView = (call: PageCall, { done, unchanged, refused, remaining, items }: Report): View => ({
  title: 'Result',
  content: html`${notice(
    html`<p>${call.format.number(done)} done, ${call.format.number(unchanged)} were so before, ${call.format.number(refused)} refused${remaining > 0 && `, ${call.format.number(remaining)} remaining: send it again`}.</p>`,
    refused > 0 ? 'warning' : 'good',
  )}${table({
    caption: 'Refused',
    rows: items.filter(({ result }) => result === 'refused'),
    columns: [
      {
        head: 'Payout',
        cell: ({ payoutId }) =>
          payoutId === null
            ? '–'
            : html`<a href="${url(path('/console/payouts/{id}', { id: payoutId }))}"><code>${payoutId}</code></a>`,
      },
      { head: 'Why', cell: ({ message }) => message },
    ],
    empty: html``,
  })}<p><a class="button primary" href="${url(call.path)}">Back to the run</a></p>`,
});

const process = form({
  fields: {},
  uses: ['processRunPayouts'],
  submit: async (call) => reportView(call as PageCall, (await call.call('processRunPayouts', idOf(call))).data),
});

const complete = form({
  fields: { items: hidden(), total: hidden(), note: paragraph({ label: 'Note', rows: 2 }) },
  uses: ['completeRunPayouts'],
  async submit(call, { items, total, note }) {
    const body = { items: Number(items), total: seenTotal(total), note };
    return reportView(call as PageCall, (await call.call('completeRunPayouts', { ...idOf(call), body })).data);
  },
});

const results = form({
  fields: {
    csv: paragraph({
      label: 'Results of the bank',
      hint: 'CSV with the columns payoutId, bankReference, executedAt and result (paid, failed or returned; empty: paid)',
      required: true,
    }),
  },
  uses: ['importPayoutResults'],
  async submit(call, { csv }) {
    const { data } = await call.call('importPayoutResults', { ...idOf(call), body: { csv } });
    return reportView(call as PageCall, { ...data, items: data.lines });
  },
});

const FORMATS = [
  { value: 'csv', label: 'All columns' },
  { value: 'paypal', label: 'PayPal' },
  { value: 'wise', label: 'Wise' },
] as const;

const files = form({
  fields: { format: radios({ label: 'Format', required: true, options: FORMATS }) },
  uses: ['getPayoutRunFile'],
  async submit(call, { format }): Promise<View | Download> {
    const { data } = await call.call('getPayoutRunFile', { ...idOf(call), query: { format } });
    const [first] = data.files;
    if (first && data.files.length === 1 && data.omitted.length === 0)
      return { kind: 'download', name: first.name, contentType: 'text/csv; charset=utf-8', content: first.content };
    return {
      title: 'Payment files',
      content: html`${notice('Recipients in full. That you have read them is on the timeline of each payout.', 'warning')}${data.files.map(
        (file, at) =>
          html`<div class="field"><label for="file-${at}">${file.name}, ${call.format.number(file.payouts)} payouts</label><textarea id="file-${at}" rows="8" readonly>${'\n'}${file.content}</textarea></div>`,
      )}${data.files.length === 0 && html`<p>No payout of the run is being paid by hand: begin the payments first.</p>`}${
        data.omitted.length > 0 &&
        html`<p>${call.format.number(data.omitted.length)} payouts cannot be paid with this format.</p>`
      }<p><a class="button primary" href="${url(call.path)}">Back to the run</a></p>`,
    };
  },
});

/** What people can do with one run. */
export const runForms = { confirm, approve, pause, resume, cancel, takeOut, process, complete, results, files };
