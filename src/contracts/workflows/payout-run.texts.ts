import { toDecimal } from '../currencies.ts';
import type { LeftOutReason } from '../payout-runs.ts';
import { isPaidByPerson, RAILS } from '../rails.ts';
import { LEFT_OUT_TEXTS } from './left-out.texts.ts';
import {
  amountsOf,
  amountText,
  MAX_UNANSWERED,
  type PayoutRunInput,
  type PayoutRunSnapshot,
  type RunCount,
  type RunShare,
  totalsOf,
} from './payout-runs.ts';
import {
  countOf,
  detailsOf,
  escapeMarkdown,
  fitSummary,
  formatTime,
  link,
  listLink,
  listOf,
  runsLink,
  sectionsOf,
  tableOf,
  type Wait,
  waitText,
} from './text.ts';

type Headline = Pick<PayoutRunInput, 'amount' | 'affiliates' | 'program'>;

const whereOf = (program: string | null): string => (program === null ? 'all programs' : escapeMarkdown(program));

/** "Payout run 1234.00 USD to 291 affiliates (Acme Partners)". */
export const runSummaryLine = ({ amount, affiliates, program }: Headline): string =>
  fitSummary(whereOf(program), `Payout run ${amount} to ${countOf(affiliates, 'affiliate')} (`, ')');

/** Who is paid what, and where to read on. Markdown. */
export const runLinks = ({
  amount,
  affiliates,
  program,
  runId,
  merchantId,
  links,
}: Headline & Pick<PayoutRunInput, 'runId' | 'merchantId' | 'links'>): string => {
  const path = `${links.api}/payout-runs/${runId}`;
  const more = [
    link('Run', path),
    link('Items', `${path}/items`),
    link('Left out', `${path}/items?result=left_out`),
    ...listLink(
      'Payouts that need a person',
      links,
      `WorkflowType = "payoutLifecycle" AND MerchantId = "${merchantId}" AND NeedsAttention = true AND ExecutionStatus = "Running"`,
    ),
    ...listLink('All runs of this merchant', links, `WorkflowType = "payoutRun" AND MerchantId = "${merchantId}"`),
  ];
  return [`**${amount}** to **${countOf(affiliates, 'affiliate')}** (${whereOf(program)})`, more.join(' · ')].join('\n\n');
};

const CANCEL_REASONS: Readonly<Record<string, string>> = {
  person: 'a person cancelled it',
  draft_expired: 'nobody confirmed it in time',
  approval_refused: 'the approval was refused',
  approval_expired: 'nobody approved it in time',
};

const titleOf = (run: PayoutRunSnapshot): string => {
  const { failed, leftOut } = totalsOf(run);
  switch (run.status) {
    case 'draft':
      return '**Draft**';
    case 'awaiting_approval':
      return '**Awaiting approval**';
    case 'paused':
      return '**Paused**';
    case 'running':
      return run.needAttention + run.stuck > 0 ? '⚠ **Running, needs a person**' : '**Running**';
    case 'completed':
      return failed + leftOut === 0 ? '✓ **Completed**' : '✓ **Completed with exceptions**';
    case 'cancelled':
      return '✗ **Cancelled**';
  }
};

const reasonText = ({ status, cancelReason }: PayoutRunSnapshot): string =>
  status === 'cancelled' && cancelReason ? ` · ${CANCEL_REASONS[cancelReason] ?? cancelReason}` : '';

/** What the person confirms is what the page shows: other figures are refused. */
const confirmBody = ({ shares }: PayoutRunSnapshot): string => {
  const total = Object.fromEntries(
    amountsOf(shares, ({ shownMinor }) => shownMinor).map(({ currency, minor }) => [currency, minor]),
  );
  return JSON.stringify({ total, items: shares.reduce((count, { affiliates }) => count + affiliates, 0) });
};

const manualOf = ({ shares }: PayoutRunSnapshot): RunShare[] =>
  shares.filter(({ rail, open }) => isPaidByPerson(rail) && open > 0);

/** What a person has to do next, with the call to make; null when nobody has to do anything. */
const nextStepOf = ({ runId }: Pick<PayoutRunInput, 'runId'>, run: PayoutRunSnapshot): string | null => {
  const path = `/payout-runs/${runId}`;
  switch (run.status) {
    case 'draft':
      return `Read GET ${path}/items, then POST ${path}/confirm with \`${confirmBody(run)}\`. If nobody is to be paid: POST ${path}/cancel.`;
    case 'awaiting_approval':
      return `Somebody who did not draft, edit or confirm it reads GET ${path}/items, then POST ${path}/approve, or POST ${path}/cancel.`;
    case 'paused':
      return `Nothing is created or sent. To go on: POST ${path}/resume. To end it: POST ${path}/cancel.`;
    case 'running': {
      const steps = [
        ...(run.stuck > 0
          ? [`${countOf(run.stuck, 'payout')} cannot be created: an operator reads the log of the workers.`]
          : []),
        ...(run.needAttention > 0
          ? [`${countOf(run.needAttention, 'payout')} of it wait for a person: the link "Payouts that need a person" lists them.`]
          : []),
        ...(manualOf(run).length > 0
          ? [`To pay by hand: POST ${path}/process, GET ${path}/file, then POST ${path}/complete with what was paid.`]
          : []),
      ];
      return steps.length === 0 ? null : steps.join(' ');
    }
    default:
      return null;
  }
};

const exceptionRows = ({ leftOut, failures }: PayoutRunSnapshot): string[][] => [
  ...leftOut.map(({ code, count }: RunCount<LeftOutReason>) => [
    `\`${code}\``,
    String(count),
    LEFT_OUT_TEXTS[code] ?? 'left out',
  ]),
  ...failures.map(({ code, count }) => [`\`${code}\``, String(count), 'payouts that failed: the money is payable again']),
];

/** Who is not paid and why; null when everybody is. Markdown. */
const exceptionsOf = (run: PayoutRunSnapshot): string | null => {
  const rows = exceptionRows(run);
  return rows.length === 0 ? null : `**Not paid**\n\n${tableOf(['Reason', '#', 'Meaning'], rows)}`;
};

/** By currency and rail. Markdown. */
const sharesOf = ({ shares }: PayoutRunSnapshot): string | null => {
  if (shares.length === 0) return null;
  const rows = shares.map((share) => {
    const { currency, rail, affiliates, shownMinor, payouts, payoutsMinor, open, paid, paidMinor, failed } = share;
    const money = (minor: number) => toDecimal(minor, currency);
    return [
      `${RAILS[rail].label}, ${currency.toUpperCase()}`,
      `${money(shownMinor)} (${affiliates})`,
      `${money(payoutsMinor)} (${payouts})`,
      String(open),
      `${money(paidMinor)} (${paid})`,
      String(failed),
    ];
  });
  return tableOf(['Rail', 'Draft', 'Payouts', 'Open', 'Paid', 'Failed'], rows);
};

/** When the last payout is final if it goes on like this; null when people, or a provider that has not answered, decide on that. */
export const expectedEndOf = (run: PayoutRunSnapshot, nowMs: number): number | null => {
  const { planned, open, unanswered } = totalsOf(run);
  if (run.status !== 'running' || !run.perMinute || planned + open === 0) return null;
  if (manualOf(run).length > 0 || run.needAttention + run.stuck > 0 || (planned === 0 && unanswered > 0)) return null;
  return nowMs + ((planned + open) / run.perMinute) * 60_000;
};

const progressOf = (run: PayoutRunSnapshot, wait: Wait | null, nowMs: number): string => {
  const { affiliates, planned, open, unanswered, paid, failed } = totalsOf(run);
  const isStarted = run.status === 'running' || run.status === 'paused';
  const done = paid + failed;
  const percent = affiliates === 0 ? 100 : Math.floor((100 * done) / affiliates);
  const end = expectedEndOf(run, nowMs);
  return listOf([
    ['Progress', isStarted ? `${done} of ${affiliates} are final (${percent} %), ${open} in progress, ${planned} to come` : null],
    ['Rate', isStarted && run.perMinute !== null ? `${run.perMinute} per minute` : null],
    ['Expected end', end === null ? null : formatTime(end)],
    ['Not answered by the provider', isStarted && unanswered > 0 ? `${unanswered} of at most ${MAX_UNANSWERED}` : null],
    ['Waiting for', wait && run.status !== 'completed' && run.status !== 'cancelled' ? waitText(wait) : null],
    ['Drafted by', run.createdBy && escapeMarkdown(run.createdBy)],
    ['Confirmed by', run.confirmedBy && `${escapeMarkdown(run.confirmedBy)}${timeOf(run.confirmedAt)}`],
    ['Approved by', run.approvedBy && escapeMarkdown(run.approvedBy)],
    ['Ended', run.finishedAt && formatTime(Date.parse(run.finishedAt))],
  ]);
};

const timeOf = (at: string | null): string => (at === null ? '' : `, ${formatTime(Date.parse(at))}`);

const laterOf = ({ runId }: Pick<PayoutRunInput, 'runId'>, { status }: PayoutRunSnapshot): string =>
  status === 'completed' || status === 'cancelled'
    ? `What changed since: GET /payout-runs/${runId}`
    : '**Nobody has to do anything.**';

/** "1234.00 USD to 291 affiliates (Acme Partners)", and of a run that ended, what it paid. Markdown. */
const payeesOf = ({ program }: Pick<PayoutRunInput, 'program'>, run: PayoutRunSnapshot): string => {
  const { affiliates, paid } = totalsOf(run);
  const drafted = amountText(amountsOf(run.shares, ({ shownMinor }) => shownMinor));
  const to = `${countOf(affiliates, 'affiliate')} (${whereOf(program)})`;
  const isEnded = run.status === 'completed' || run.status === 'cancelled';
  if (!isEnded) return `${drafted} to ${to}`;
  return `paid ${amountText(amountsOf(run.shares, ({ paidMinor }) => paidMinor))} of ${drafted} to ${paid} of ${to}`;
};

/** The run as a person reads it, without any event of the history. Markdown. */
export const describeRun = (input: PayoutRunInput, run: PayoutRunSnapshot, wait: Wait | null, nowMs: number): string => {
  if (run.version === 0) return `**Starting**: ${input.amount} to ${countOf(input.affiliates, 'affiliate')}`;
  const step = nextStepOf(input, run);
  const until = run.decideBy === null ? '' : ` until ${formatTime(Date.parse(run.decideBy))}`;
  return sectionsOf(
    `${titleOf(run)}: ${payeesOf(input, run)}${reasonText(run)}`,
    step === null ? laterOf(input, run) : `**What to do${until}**: ${step}`,
    progressOf(run, wait, nowMs),
    sharesOf(run),
    exceptionsOf(run),
  );
};

/** What somebody who requested the cancellation of the workflow has to call; null once the run ended. */
export const insteadOfCancellingRun = (
  { runId }: Pick<PayoutRunInput, 'runId'>,
  { status }: PayoutRunSnapshot,
): string | null => {
  if (status === 'completed' || status === 'cancelled') return null;
  return `Only the API ends a run: POST /payout-runs/${runId}/cancel, or /pause to stop it for a while.`;
};

/** Of a workflow run that another one replaces. Markdown. */
export const describeSupersededRun = ({ runId, links }: PayoutRunInput): string =>
  detailsOf(
    '**Superseded**: another run of the workflow shows these payouts; this one is a copy, or was reset, and counts nothing',
    [['Payout run', runsLink(`payout-run/${runId}`, links)]],
  );
