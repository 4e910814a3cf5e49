import { MERCHANT_SCOPES, type MerchantScope } from './scopes.ts';

/** What somebody is at a merchant. */
export const ROLES = ['owner', 'finance', 'manager', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const READS = MERCHANT_SCOPES.filter((scope) => scope.endsWith(':read'));

/** The rights of each role: never more than a merchant key can have. People are managed by whoever is an owner. */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly MerchantScope[]>> = {
  owner: MERCHANT_SCOPES,
  finance: [...READS, 'payouts:write'],
  manager: [...READS, 'programs:write', 'affiliates:manage', 'flags:write', 'webhooks:write', 'marketing_resources:write'],
  viewer: READS,
};

export const rolesWith = (scope: MerchantScope): Role[] => ROLES.filter((role) => SCOPES_OF_ROLE[role].includes(scope));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const PERSON_INVITE_MS = 7 * DAY;
/** Invites that one merchant may send: each is a mail to an address that nobody has proved. */
export const MAX_PERSON_INVITES_PER_DAY = 100;
/** How long a mailed link and its code are valid. */
export const SIGN_IN_MS = 15 * MINUTE;
/** Wrong codes of one mail. */
export const SIGN_IN_TRIES = 5;
/** Wrong codes in 24 hours of what one address asked for with one mailbox. After them, only links of what it asks for are valid. */
export const SIGN_IN_TRIES_PER_DAY = 30;
/** Like the limit above, for all addresses together. */
export const SIGN_IN_TRIES_OF_MAILBOX_PER_DAY = 100;
/** Mails that one address causes to one mailbox, within the lifetime of a link and in 24 hours. Others have theirs. */
export const SIGN_INS_OF_ADDRESS_AND_MAILBOX = 5;
export const SIGN_INS_OF_ADDRESS_AND_MAILBOX_PER_DAY = 20;
/** Mails to one mailbox within the lifetime of a link: beyond those with a code, the others have only a link, at which nobody can guess. */
export const SIGN_INS_PER_MAILBOX = 20;
export const SIGN_INS_WITH_CODE = 10;
/** How many of these mails may be for joining and signing up: the rest is kept for signing in. */
export const JOININGS_PER_MAILBOX = 10;
/** New codes of one person who is signed in, within the lifetime of one: nobody else uses them up. */
export const CODE_CHECKS_PER_PERSON = 5;
/** Requests of one address within the lifetime of a link. */
export const SIGN_INS_PER_ADDRESS = 20;
/** Requests of one IPv6 network of /48, in which one customer may have every address. */
export const SIGN_INS_PER_NETWORK = 100;
/** A session that is not used ends after this time. */
export const SESSION_IDLE_MS = 12 * HOUR;
export const SESSION_MS = 14 * DAY;
/** For how long people who have proved who they are need not do it again. */
export const FRESH_CHECK_MS = 5 * MINUTE;
/** `error.details.reason`: pages ask the person and send the form again. Keys never get it. */
export const FRESH_CHECK_REQUIRED = 'FRESH_CHECK_REQUIRED';
/** For this time, nobody pays to details that a person changed, or that a person's key no older than this changed. */
export const DETAILS_COOLDOWN_MS = 72 * HOUR;
export const PASSKEY_PURPOSES = ['register', 'sign_in', 'confirm'] as const;
export const PASSKEY_CHALLENGE_MS = 5 * MINUTE;
export const MAX_PASSKEYS_PER_PERSON = 20;
/** Time before the passkeys of a person who lost them no longer count. */
export const PASSKEY_REPLACEMENT_MS = DAY;
export const PASSKEY_REPLACEMENT_STATUSES = ['pending', 'stopped', 'done'] as const;
/** Requests for one person in 24 hours: each is a mail. */
export const MAX_PASSKEY_REPLACEMENTS_PER_DAY = 3;
/** Counts open invites, too. */
export const MAX_PEOPLE_PER_MERCHANT = 200;

/** Whether companies open accounts themselves, or the operator does it for them. */
export const SIGN_UPS = ['closed', 'open'] as const;
export type SignUps = (typeof SIGN_UPS)[number];
/** Companies that one person may open in 24 hours. */
export const MAX_COMPANIES_PER_DAY = 3;
