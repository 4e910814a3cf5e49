import { toDecimal } from '../../src/contracts/currencies.ts';
import type { LeftOutReason } from '../../src/contracts/payout-runs.ts';
import { isPaidByPerson, RAILS } from '../../src/contracts/rails.ts';
import type { RunSituation } from '../../src/contracts/situations/payout-run.ts';
import { CONSOLE_PAGES, consoleLink } from '../../src/contracts/workflows/console-links.ts';
import { whereOf } from '../../src/contracts/workflows/payout-run.texts.ts';
import {
  amountsOf,
  amountText,
  MAX_UNANSWERED,
  type PayoutRunInput,
  type PayoutRunSnapshot,
  type RunCount,
  type RunShare,
  situationOfRun,
  totalsOf,
} from '../../src/contracts/workflows/payout-runs.ts';
import {
  countOf,
  detailsOf,
  formatTime,
  listOf,
  runsLink,
  sectionsOf,
  tableOf,
  type Wait,
  waitText,
} from '../../src/contracts/workflows/text.ts';
import { actorText } from '../../src/texts/actors.finance.en.ts';
import { textOf } from '../../src/texts/catalogue.ts';
import { leftOutForFinance } from '../../src/texts/left-out.finance.en.ts';
import { runButtons, runForFinance as texts } from '../../src/texts/payout-run.finance.en.ts';
import { forDevelopers, toDoText } from './parts.ts';

const isEnded = ({ status }: PayoutRunSnapshot): boolean => status === 'completed' || status === 'cancelled';

const { states, reasons, next: steps } = texts;

const titleOf = ({ state, waitsFor }: RunSituation, run: PayoutRunSnapshot): string => {
  const { label } = states[state];
  const { failed, leftOut } = totalsOf(run);
  if (state === 'cancelled') return `✗ **${label}**`;
  if (state === 'completed') return failed + leftOut === 0 ? `✓ **${label}**` : `✓ **${label} with exceptions**`;
  if (state === 'running' && waitsFor !== 'payouts') return `⚠ **${label}, needs a person**`;
  return `**${label}**`;
};

/** The person confirms what the page shows: other figures are refused. */
const confirmBody = ({ shares }: PayoutRunSnapshot): string => {
  const total = Object.fromEntries(
    amountsOf(shares, ({ shownMinor }) => shownMinor).map(({ currency, minor }) => [currency, minor]),
  );
  return JSON.stringify({ total, items: shares.reduce((count, { affiliates }) => count + affiliates, 0) });
};

const manualOf = ({ shares }: PayoutRunSnapshot): RunShare[] =>
  shares.filter(({ rail, open }) => isPaidByPerson(rail) && open > 0);

/** All that people have to do, the most urgent first; null when nobody has to do anything. */
const nextStepOf = ({ next, state }: RunSituation, run: PayoutRunSnapshot): string | null => {
  if (next === null) return null;
  if (state !== 'running') return steps[next];
  const { needAttention, waitForAccount = 0 } = run;
  const stuck = run.stuck - waitForAccount;
  const all = [
    ...(waitForAccount > 0 ? [`${countOf(waitForAccount, 'payout')} wait for the payout account. ${steps.check_account}`] : []),
    ...(stuck > 0 ? [`${countOf(stuck, 'payout')} can't be created. ${steps.read_log}`] : []),
    ...(needAttention > 0
      ? [
          `${steps.decide_payouts} The link "Payouts that need a person" lists ${needAttention === 1 ? 'it' : `all ${needAttention}`}.`,
        ]
      : []),
    ...(manualOf(run).length > 0 ? [steps.pay_manually] : []),
  ];
  return all.join(' ');
};

const exceptionRows = ({ leftOut, failures }: PayoutRunSnapshot): string[][] => [
  ...leftOut.map(({ code, count }: RunCount<LeftOutReason>) => [
    `\`${code}\``,
    String(count),
    leftOutForFinance[code] ?? 'left out',
  ]),
  ...failures.map(({ code, count }) => [`\`${code}\``, String(count), 'payouts that failed: the money is payable again']),
];

/** Who is not paid and why; null when everybody is. Markdown. */
const exceptionsOf = (run: PayoutRunSnapshot): string | null => {
  const rows = exceptionRows(run);
  return rows.length === 0 ? null : `**Not paid**\n\n${tableOf(['Reason', '#', 'Meaning'], rows)}`;
};

/** Amounts by currency and rail. Markdown. */
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
    ['As of', isStarted ? formatTime(nowMs) : null],
    ['Progress', isStarted ? `${done} of ${affiliates} are final (${percent} %), ${open} in progress, ${planned} to come` : null],
    ['Rate', isStarted && run.perMinute !== null ? `${run.perMinute} per minute` : null],
    ['Expected end', end === null ? null : formatTime(end)],
    ['Not answered by the provider', isStarted && unanswered > 0 ? `${unanswered} of at most ${MAX_UNANSWERED}` : null],
    ['Waiting for', wait && run.status !== 'completed' && run.status !== 'cancelled' ? waitText(wait) : null],
    ['Drafted by', run.createdBy && actorText(run.createdBy)],
    ['Confirmed by', run.confirmedBy && `${actorText(run.confirmedBy)}${timeOf(run.confirmedAt)}`],
    ['Approved by', run.approvedBy && actorText(run.approvedBy)],
    ['Ended', run.finishedAt && formatTime(Date.parse(run.finishedAt))],
  ]);
};

const timeOf = (at: string | null): string => (at === null ? '' : `, ${formatTime(Date.parse(at))}`);

/** "1234.00 USD to 291 affiliates (Acme Partners)", and of a run that ended, what it paid. Markdown. */
const payeesOf = ({ program }: Pick<PayoutRunInput, 'program'>, run: PayoutRunSnapshot): string => {
  const { affiliates, paid } = totalsOf(run);
  const drafted = amountText(amountsOf(run.shares, ({ shownMinor }) => shownMinor));
  const to = `${countOf(affiliates, 'affiliate')} (${whereOf(program)})`;
  if (!isEnded(run)) return `${drafted} to ${to}`;
  return `paid ${amountText(amountsOf(run.shares, ({ paidMinor }) => paidMinor))} of ${drafted} to ${paid} of ${to}`;
};

const toDoOf = (situation: RunSituation, run: PayoutRunSnapshot): string =>
  isEnded(run) ? 'What changed since is on its page in the console.' : toDoText(situation, nextStepOf(situation, run));

/** The run as a person reads it, without any event of the history. Markdown. */
export const describeRun = (input: PayoutRunInput, run: PayoutRunSnapshot, wait: Wait | null, nowMs: number): string => {
  const { runId, links } = input;
  const console = consoleLink(links, CONSOLE_PAGES.payoutRun(runId));
  if (run.version === 0) return sectionsOf(console, `**Starting**: ${input.amount} to ${countOf(input.affiliates, 'affiliate')}`);
  const situation = situationOfRun(run);
  const { state, reason } = situation;
  return sectionsOf(
    console,
    `${titleOf(situation, run)}: ${payeesOf(input, run)}${reason === null ? '' : ` · ${textOf(reasons[reason])}`}`,
    isEnded(run) ? null : states[state].text,
    toDoOf(situation, run),
    progressOf(run, wait, nowMs),
    sharesOf(run),
    exceptionsOf(run),
    forDevelopers(links, `/payout-runs/${runId}`, situation) +
      (state === 'draft' ? `, confirm with \`${confirmBody(run)}\`` : ''),
  );
};

/** What to do for people who asked Temporal to cancel the workflow; null once the run ended. */
export const insteadOfCancellingRun = (run: PayoutRunSnapshot): string | null =>
  isEnded(run)
    ? null
    : `To end the run, choose “${runButtons.cancel}” on its page in the console, or “${runButtons.pause}” to stop it for a while.`;

/** Describes a workflow run that another one replaces. Markdown. */
export const describeSupersededRun = ({ runId, links }: PayoutRunInput): string =>
  sectionsOf(
    consoleLink(links, CONSOLE_PAGES.payoutRun(runId)),
    detailsOf(
      '**Superseded**: another run of the workflow shows these payouts; this one is a copy, or was reset, and counts nothing',
      [['Payout run', runsLink(`payout-run/${runId}`, links)]],
    ),
  );
