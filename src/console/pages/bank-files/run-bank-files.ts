import { beginsWith } from '../../../contracts/rails.ts';
import { amountLines } from '../../amounts.ts';
import { buttonLink } from '../../components/blocks.ts';
import { counted } from '../../counted.ts';
import { type Html, html } from '../../html.ts';
import type { PageCall } from '../../page.ts';
import { path, url } from '../../url.ts';
import { type RunData, sumOf } from '../pay/run-totals.ts';

/** Payouts of a run that wait for a bank file, and its files. A paused run puts nothing into one. */
export const bankFilesView = (run: RunData, call: PageCall): Html | false => {
  const filed = run.totals.filter(({ rail }) => rail !== null && beginsWith(rail, 'file'));
  if (filed.every(({ result }) => result === 'planned' || result === 'left_out') || !call.allows('listBankFiles')) return false;
  const waiting = sumOf(filed.filter(({ result }) => result === 'pending'));
  const isMade = waiting.items > 0 && run.status !== 'paused' && call.allows('makeBankFiles');
  const isCreating = run.status === 'running' && run.totals.some(({ result }) => result === 'planned');
  const make = html`<p>${buttonLink(path('/console/pay/bank-files/new', {}, { runId: run.id }), 'Make bank file', 'primary')}</p>`;
  return html`${
    waiting.items > 0 &&
    html`<p>${counted(waiting.items, 'payout', call)} ${waiting.items === 1 ? 'is' : 'are'} waiting for a bank file: <strong>${amountLines(waiting.total, call)}</strong>.</p>`
  }${isMade && (isCreating ? html`<p class="note">You can make it once the run has created all of its payouts.</p>` : make)}<p><a href="${url(path('/console/pay/bank-files', {}, { runId: run.id }))}">View bank files of this payout run</a></p>`;
};
