import { formatMoney } from '../../src/contracts/currencies.ts';
import { MONEY_STATES } from './books.ts';
import type { SimulationReport } from './simulate.ts';

/** What happened, where the money is, and what the audit found. */
export const describeReport = ({ tally, money, waiting, webhooks, audit }: SimulationReport): string => {
  const counts = Object.entries(tally).sort(([a], [b]) => (a < b ? -1 : 1));
  const findings = audit.findings.map(({ invariant, subject, detail }) => `  ${invariant} ${subject} ${detail}`);
  return [
    '\nWhat happened',
    ...counts.map(([kind, times]) => `  ${kind.padEnd(28)} ${times}`),
    '\nCommissions',
    ...Object.entries(money).map(
      ([currency, amounts]) => `  ${MONEY_STATES.map((state) => `${state} ${formatMoney(amounts[state], currency)}`).join(', ')}`,
    ),
    '\nWaiting for a person',
    `  ${waiting.payouts} payouts, ${waiting.flags} flags, ${waiting.applications} applications`,
    '\nWebhooks',
    `  ${webhooks.events} events, ${webhooks.deliveries} deliveries, ${webhooks.undelivered} not delivered, ${webhooks.attempts} attempts`,
    `\nAudit: ${audit.ok ? 'no violations' : `${audit.findings.length} violations`}`,
    ...findings,
    `  checked: ${Object.entries(audit.counts)
      .map(([kind, number]) => `${number} ${kind}`)
      .join(', ')}`,
    `  not checked: ${audit.unchecked.join(', ') || 'nothing'}\n`,
  ].join('\n');
};
