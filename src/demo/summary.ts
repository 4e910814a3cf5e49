import type { StackFile } from '../installation/stack-file.ts';
import { stackFileIn } from '../installation/stack-file.ts';
import { formatMoney } from '../platform/money.ts';
import type { DemoResult } from './demo-scenario.ts';

type Line = readonly [label: string, text: string];

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const section = (title: string, lines: readonly Line[]): string => {
  const width = Math.max(...lines.map(([label]) => label.length));
  return `${title}\n${lines.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`).join('\n')}\n`;
};

/** Where everything is, and the keys to it. */
export const describeSystem = (stack: StackFile, folder: string, logsDir: string): string =>
  [
    section('Tributary is running', [
      ['API', stack.apiUrl],
      ['API reference', stack.docsUrl],
      ['Temporal UI', stack.temporalUiUrl ?? `none here; the cluster is ${stack.temporalAddress}`],
      ['Mailbox folder', stack.mailboxDir],
      ['Logs', logsDir],
      ['For scripts', stackFileIn(folder)],
    ]),
    section('Keys of the demo merchant', [
      ['Merchant', stack.merchantKey],
      ['Affiliate', stack.affiliateKey],
      ['Onboarding', stack.onboardingKey],
    ]),
  ].join('\n');

/** What the main job did, and where to look at it. */
export const describeDemo = (result: DemoResult, stack: StackFile, namespace: string): string => {
  const { payout, events } = result;
  const workflow = `payout/${payout.id}`;
  const link = stack.temporalUiUrl
    ? `${stack.temporalUiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflow)}`
    : workflow;
  return section(`The main job ran once on the demo data, in ${seconds(result.tookMs)}`, [
    ['Sale', `${formatMoney(result.saleAmount, payout.currency)}, ${result.saleId}`],
    ['Payout', `${formatMoney(payout.amount, payout.currency)}, ${payout.status}, ${payout.id}`],
    ['Workflow', link],
    ...events.map(
      (event, index): Line => [index === 0 ? 'Webhooks' : '', `${event.type.padEnd(18)}  signature verified, ${event.id}`],
    ),
  ]);
};
