import { formatMoney } from '../../contracts/currencies.ts';
import { DEFAULT_NAMESPACES } from '../../contracts/workflows/descriptor.ts';
import { listUrl } from '../../contracts/workflows/views.ts';
import type { StackFile } from '../installation/stack-file.ts';
import { stackFileIn } from '../installation/stack-file.ts';
import type { Environment } from '../stack/programs.ts';
import type { DemoResult } from './demo-scenario.ts';

type Line = readonly [label: string, text: string];

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const section = (title: string, lines: readonly Line[]): string => {
  const width = Math.max(...lines.map(([label]) => label.length));
  return `${title}\n${lines.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`).join('\n')}\n`;
};

/** Leaves out the password of the mail server. */
const mailLine = ({ mailboxDir }: StackFile, smtpUrl: string | undefined): Line =>
  smtpUrl ? ['Mail server', new URL(smtpUrl).host] : ['Mailbox folder', mailboxDir];

/** Each works once, for 15 minutes. */
export interface SignInLinks {
  owner: string;
  affiliate: string;
}

export interface SystemPlaces {
  folder: string;
  logsDir: string;
  /** Undefined or empty: mails go to the mailbox folder. */
  smtpUrl: string | undefined;
  /** Ends the line of the API. */
  portNote?: string;
  /** Left out when none could be made. */
  signInLinks?: SignInLinks | undefined;
  /** Namespace of the workflows that finance looks at. */
  namespace: string;
}

/** Namespace of the workflows that finance looks at. */
export const namespaceOf = (env: Environment): string => env['TEMPORAL_NAMESPACE'] || DEFAULT_NAMESPACES.finance;

/** Null when the Temporal UI was not started here. */
const workflowsUrlOf = ({ temporalUiUrl }: StackFile, namespace: string): string | null =>
  temporalUiUrl ? listUrl(temporalUiUrl, namespace) : null;

/** Addresses and API keys. */
export const describeSystem = (
  stack: StackFile,
  { folder, logsDir, smtpUrl, namespace, portNote = '', signInLinks }: SystemPlaces,
): string =>
  [
    section('Tributary is running', [
      ['API', stack.apiUrl + portNote],
      ['API reference', stack.docsUrl],
      ['Console', `${stack.origin}/console`],
      ['Portal', `${stack.origin}/portal`],
      ['Temporal UI', workflowsUrlOf(stack, namespace) ?? `not started here; the cluster is ${stack.temporalAddress}`],
      mailLine(stack, smtpUrl),
      ['Logs', logsDir],
      ['Addresses and keys as JSON', stackFileIn(folder)],
    ]),
    ...(signInLinks
      ? [
          section('Sign in to the demo (each link once, within 15 minutes)', [
            ['Console, as an owner', signInLinks.owner],
            ['Portal, as an affiliate', signInLinks.affiliate],
          ]),
        ]
      : []),
    section('API keys of the demo', [
      ['Merchant', stack.merchantKey],
      ['Affiliate', stack.affiliateKey],
      ['Onboarding', stack.onboardingKey],
    ]),
  ].join('\n');

/** How many were paid, and who was not, with the reason. */
const runLines = ({ run }: DemoResult): Line[] => {
  if (!run) return [];
  const paid = run.items.filter(({ result }) => result === 'completed').length;
  const others = run.items.filter(({ result }) => result !== 'completed');
  return [
    ['Payout run', `${paid} of ${run.items.length} affiliates paid, ${run.status}, ${run.id}`],
    ...others.map(({ code, result, reason }): Line => ['', `${code}: ${result}${reason === null ? '' : `, ${reason}`}`]),
  ];
};

/** The result of the demo scenario, with a link to its workflow. */
export const describeDemo = (result: DemoResult, stack: StackFile, namespace: string): string => {
  const { payout, events } = result;
  const workflow = `payout/${payout.id}`;
  const workflows = workflowsUrlOf(stack, namespace);
  const link = workflows === null ? workflow : `${workflows}/${encodeURIComponent(workflow)}`;
  return section(`The sale of the demo was paid in ${seconds(result.tookMs)}`, [
    ['Sale', `${formatMoney(result.saleAmount, payout.currency)}, ${result.saleId}`],
    ['Payout', `${formatMoney(payout.amount, payout.currency)}, ${payout.status}, ${payout.id}`],
    ['Workflow', link],
    ...runLines(result),
    ['Payable now', `${formatMoney(result.payableAmount, payout.currency)} to affiliate ${stack.payableAffiliateId}`],
    ...events.map(
      (event, index): Line => [index === 0 ? 'Webhooks' : '', `${event.type.padEnd(18)}  signature verified, ${event.id}`],
    ),
  ]);
};
