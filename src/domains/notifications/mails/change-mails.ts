import type { AuditAction, FieldChange } from '../../../contracts/audit-log.ts';
import { type MailContent, oneLine, plain } from '../mail-content.rules.ts';
import { formatTime } from './format.ts';

export interface ChangeMail {
  action: AuditAction;
  changes: readonly FieldChange[];
  /** Name of the API key or of the person, or what did it. */
  actor: string;
  address: string | null;
  at: Date;
}

const TITLES: Readonly<Partial<Record<AuditAction, readonly [title: string, consequence: string]>>> = {
  'api_key.created': ['A new API key was created', 'It can do what its scopes allow until it is revoked.'],
  'person.passkey_replacement_requested': [
    'The passkeys of a person will be removed',
    'An owner reported them lost. They stop working after 24 hours unless the person keeps them.',
  ],
  'person_invite.created': ['A person was invited to your account', 'Once they accept, they can do what their role allows.'],
  'program.event_secret_issued': [
    'A new secret for sale events was issued',
    'Anyone who has it can report sales, which earn commissions.',
  ],
  'rail_account.connected': [
    'A payout account was connected',
    'Payouts of the payout methods that you let it pay leave this account from now on.',
  ],
  'rail_account.updated': ['A payout account was changed', 'Payouts leave it with the new credentials from now on.'],
  'rail_account.disconnected': [
    'A payout account was disconnected',
    'Its credentials were deleted. Nothing more is paid from it.',
  ],
  'merchant.billing_changed': ['Your plan was changed', 'It determines your limits and what you pay.'],
  'program.updated': ['The commission of a program was changed', 'It applies to sales from now on.'],
  'affiliate.updated': ['The commission of an affiliate was changed', 'It applies to their sales from now on.'],
  'webhook_endpoint.updated': [
    'A webhook endpoint receives more events',
    'They show its receiver what happens in your account, and include names of people.',
  ],
};

/** By the field that changed, where the action is one of several. */
const TITLES_OF_FIELDS: Readonly<Record<string, readonly [title: string, consequence: string]>> = {
  stripeAccountId: ['A Stripe account was connected to a program', 'Its payments are sales of the program from now on.'],
  portalDomain: [
    'The domain of a program was changed',
    'Once it is verified, people join and sign in there, and emails link to it. The previous domain no longer works.',
  ],
  isPortalDomainVerified: [
    'The domain of a program is now used, or no longer used',
    'While it is verified, people join and sign in there, and emails link to it. Otherwise, they use the address of this server.',
  ],
  embedOrigins: [
    'Another app may show the pages of your affiliates',
    'It shows them in a frame. The operator of the app controls what surrounds them.',
  ],
};

const titleOf = ({ action, changes }: Pick<ChangeMail, 'action' | 'changes'>): readonly [string, string] => {
  const named = changes.find(({ field }) => field in TITLES_OF_FIELDS);
  return (named && TITLES_OF_FIELDS[named.field]) ?? TITLES[action] ?? ['Your account was changed', ''];
};

const FIELDS: Readonly<Record<string, string>> = {
  commissionPercent: 'Commission in percent',
  billingTier: 'Plan',
  scopes: 'Scopes',
  role: 'Role',
  stripeAccountId: 'Stripe account',
  programId: 'Program',
  subscribedEvents: 'Events',
  extendedEvents: 'Further events',
  portalDomain: 'Domain',
  isPortalDomainVerified: 'Verified',
  embedOrigins: 'Apps',
  rail: 'Provider',
};

/** Names that somebody entered: a mail makes no links of them. */
const ENTERED: readonly string[] = ['portalDomain', 'embedOrigins'];

const valueText = (value: unknown, field: string): string => {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return ENTERED.includes(field) ? plain(text) : oneLine(text);
};

const changeText = ({ field, old, new: next }: FieldChange): string =>
  old === null ? valueText(next, field) : `${valueText(old, field)} → ${valueText(next, field)}`;

const FOOTER = "You receive this email because it concerns the security of your account. It can't be turned off.";

export const changeMail = ({ action, changes, actor, address, at }: ChangeMail): MailContent => {
  const [title, consequence] = titleOf({ action, changes });
  const shown = changes.flatMap((change): [string, string][] => {
    const name = FIELDS[change.field];
    return name === undefined ? [] : [[name, changeText(change)]];
  });
  return {
    subject: title,
    heading: title,
    paragraphs: consequence === '' ? [] : [consequence],
    sections: [
      {
        title: null,
        facts: [
          ...shown,
          ['Changed at', formatTime(at)],
          ['By', plain(actor)],
          ...(address === null ? [] : [['Address', oneLine(address)] as [string, string]]),
        ],
      },
    ],
    steps: [
      { text: 'View all changes and who made them', page: '/console/settings/audit-log' },
      "Didn't expect this? Revoke the API key that made the change and any keys it created, or remove the person.",
    ],
    footer: FOOTER,
  };
};

/** More in an hour than merchants get single emails about. */
export const manyChangesMail = (): MailContent => ({
  subject: 'More changes to your account',
  heading: 'More changes to your account',
  paragraphs: ['There were more than 20 such changes within an hour. No separate email is sent for the rest.'],
  sections: [],
  steps: [{ text: 'View all of them', page: '/console/settings/audit-log' }],
  footer: FOOTER,
});
