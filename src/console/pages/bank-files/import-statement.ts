import { gzipSync } from 'node:zlib';
import type { OperationError, OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { MAX_BANK_MESSAGE_BYTES } from '../../../contracts/bank-files.ts';
import { unmatchedText } from '../../../texts/bank-files.merchant.en.ts';
import { buttonLink, notice } from '../../components/blocks.ts';
import { file } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { counted } from '../../counted.ts';
import { type Html, html } from '../../html.ts';
import { form, type PageCall, type View } from '../../page.ts';
import { OperationFailed } from '../../page-call.ts';
import { path } from '../../url.ts';
import { BANK_FILES, UNMATCHED } from './new-bank-file.ts';

export type ImportData = OperationSuccess<'listBankImports'>['data'][number];

export const kindText = ({ kind }: Pick<ImportData, 'kind'>): string =>
  kind === 'status' ? 'Status file (pain.002)' : 'Account statement (camt.053 or camt.054)';

const OUTCOMES = [
  ['paid', 'paid'],
  ['failed', 'rejected'],
  ['returned', 'returned'],
  ['accepted', 'accepted'],
  ['noted', 'noted'],
  ['toDecide', 'waiting for your decision'],
] as const satisfies readonly (readonly [keyof ImportData['outcomes'], string])[];

/** "2 paid, 1 rejected". */
export const outcomesText = ({ changed, outcomes }: ImportData, { format }: Pick<PageCall, 'format'>): string => {
  if (changed === 0) return 'Nothing changed';
  const said = OUTCOMES.filter(([name]) => outcomes[name] > 0).map(([name, word]) => `${format.number(outcomes[name])} ${word}`);
  return said.join(', ');
};

const unmatchedView = ({ unmatched, list }: ImportData, call: PageCall): Html | false =>
  unmatched > 0 &&
  html`<h2>What was not applied</h2>${table({
    caption: 'What was not applied',
    rows: list,
    columns: [
      { head: 'The bank names', cell: ({ id }) => html`<code>${id}</code>` },
      { head: 'What it is', cell: ({ why }) => unmatchedText(why).text },
      { head: 'What to do', cell: ({ why }) => unmatchedText(why).next },
    ],
    empty: html``,
  })}${list.length < unmatched && html`<p class="note">And ${call.format.number(unmatched - list.length)} more.</p>`}`;

const summaryOf = (data: ImportData, call: PageCall): Html => {
  const { repeated, remaining, unchanged, foreign } = data;
  if (repeated)
    return html`<p>This file was uploaded before, on ${call.format.time(data.createdAt)}. Nothing changed. It said then: ${outcomesText(data, call)}.</p>`;
  return html`<p><strong>${kindText(data)}</strong> ${data.messageId !== null && html`<code>${data.messageId}</code>`}: ${outcomesText(data, call)}.</p>${
    unchanged > 0 && html`<p>${counted(unchanged, 'payment', call)} ${unchanged === 1 ? 'was' : 'were'} known already.</p>`
  }${foreign > 0 && html`<p>${counted(foreign, 'other booking', call)} of the account ${foreign === 1 ? 'has' : 'have'} nothing to do with payouts.</p>`}${
    remaining > 0 &&
    html`<p><strong>${counted(remaining, 'payment', call)} remaining: upload the same file again to continue.</strong></p>`
  }`;
};

/** Whether somebody has to look at something. */
const asksForMore = ({ unmatched, remaining, outcomes: { toDecide, failed, returned } }: ImportData): boolean =>
  unmatched + remaining + toDecide + failed + returned > 0;

/** What was recognized, and what it changed. */
const reportView = (call: PageCall, data: ImportData): View => ({
  title: data.repeated ? 'Uploaded before' : "Your bank's file was read",
  content: html`${notice(summaryOf(data, call), asksForMore(data) ? 'warning' : 'good')}${unmatchedView(data, call)}<div class="actions">${buttonLink(BANK_FILES, 'Back to bank files', 'primary')}${data.outcomes.failed + data.outcomes.returned > 0 && buttonLink(path('/console/payouts', {}, { status: 'failed' }), 'View failed payouts')}${data.kind === 'statement' && data.unmatched > 0 && buttonLink(UNMATCHED, 'View unmatched bookings')}</div>`,
});

const TOO_LARGE = 'is too large, even when compressed: ask your bank for a statement of fewer days';

/** Nobody who chose a file knows that it was compressed. */
const inWords = ({ status, error }: OperationError): OperationError => {
  const issues = (error.details?.['issues'] ?? []) as readonly { path: string; message: string }[];
  if (!issues.some(({ path }) => path === 'gzip')) return { status, error };
  const said = { path: 'content', message: TOO_LARGE };
  return { status, error: { ...error, details: { ...error.details, issues: [said] } } };
};

export const importStatement = form({
  fields: {
    bankFile: file({
      label: 'File from your bank',
      hint: 'A status file (pain.002) or an account statement (camt.053, camt.054), unpacked, up to 10 MiB. The same file twice changes nothing',
      accept: '.xml,text/xml,application/xml',
      path: 'content',
      maxBytes: MAX_BANK_MESSAGE_BYTES,
    }),
  },
  uses: ['importBankStatement'],
  async submit(call, { bankFile = '' }) {
    // Compressed, since the body of a request is smaller than a file of a bank.
    const body = bankFile === '' ? { content: '' } : { gzip: gzipSync(Buffer.from(bankFile, 'base64')).toString('base64') };
    const read = await call.attempt('importBankStatement', { body });
    if ('error' in read) throw new OperationFailed(inWords(read));
    return reportView(call as PageCall, read.data);
  },
});
