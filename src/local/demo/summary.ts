import { formatMoney } from '../../contracts/currencies.ts';
import type { StackFile } from '../installation/stack-file.ts';
import { stackFileIn } from '../installation/stack-file.ts';
import type { DemoResult } from './demo-scenario.ts';

type Line = readonly [label: string, text: string];

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const section = (title: string, lines: readonly Line[]): string => {
  const width = Math.max(...lines.map(([label]) => label.length));
  return `${title}\n${lines.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`).join('\n')}\n`;
};

/** Without the password of the mail server. */
const mailLine = ({ mailboxDir }: StackFile, smtpUrl: string | undefined): Line =>
  smtpUrl ? ['Mail server', new URL(smtpUrl).host] : ['Mailbox folder', mailboxDir];

export interface SystemPlaces {
  folder: string;
  logsDir: string;
  /** Undefined or empty: mails go to the mailbox folder. */
  smtpUrl: string | undefined;
  /** Ends the line of the API. */
  portNote?: string;
}

/** Addresses and API keys. */
export const describeSystem = (stack: StackFile, { folder, logsDir, smtpUrl, portNote = '' }: SystemPlaces): string =>
  [
    section('Tributary is running', [
      ['API', stack.apiUrl + portNote],
      ['API reference', stack.docsUrl],
      ['Temporal UI', stack.temporalUiUrl ?? `not started here; the cluster is ${stack.temporalAddress}`],
      mailLine(stack, smtpUrl),
      ['Logs', logsDir],
      ['Addresses and keys as JSON', stackFileIn(folder)],
    ]),
    section('API keys of the demo', [
      ['Merchant', stack.merchantKey],
      ['Affiliate', stack.affiliateKey],
      ['Onboarding', stack.onboardingKey],
    ]),
  ].join('\n');

/** The result of the demo scenario, with a link to its workflow. */
export const describeDemo = (result: DemoResult, stack: StackFile, namespace: string): string => {
  const { payout, events } = result;
  const workflow = `payout/${payout.id}`;
  const link = stack.temporalUiUrl
    ? `${stack.temporalUiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflow)}`
    : workflow;
  return section(`The demo completed in ${seconds(result.tookMs)}`, [
    ['Sale', `${formatMoney(result.saleAmount, payout.currency)}, ${result.saleId}`],
    ['Payout', `${formatMoney(payout.amount, payout.currency)}, ${payout.status}, ${payout.id}`],
    ['Workflow', link],
    ['Payable now', `${formatMoney(result.payableAmount, payout.currency)} to affiliate ${stack.payableAffiliateId}`],
    ...events.map(
      (event, index): Line => [index === 0 ? 'Webhooks' : '', `${event.type.padEnd(18)}  signature verified, ${event.id}`],
    ),
  ]);
};
