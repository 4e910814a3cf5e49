import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../contracts/people.ts';
import { BILLING_TIERS, type BillingTier } from '../contracts/programs.ts';
import { findOrCreateProfile, getProfileEmail } from '../domains/affiliates/index.ts';
import { createAffiliate } from '../domains/applications/index.ts';
import { erasePerson } from '../domains/me/index.ts';
import { assertMerchantExists, changeBilling, createMerchant } from '../domains/merchants/index.ts';
import { eraseMails } from '../domains/notifications/index.ts';
import {
  assertKnownMailbox,
  assertMember,
  createPersonInvite,
  createSignInLink,
  replacePasskeys,
} from '../domains/people/index.ts';
import { type Context, inTransaction } from '../platform/context.ts';
import type { AddCommands, CommandDefinition } from './command.ts';
import { operatorContext, waitForRedis } from './operator.ts';
import { anyEmail, email, shortLine, usage, uuid } from './options.ts';

interface MerchantOptions {
  company: string;
  email: string;
}

export const addMerchantCommands: AddCommands = (program, add) => {
  add<MerchantOptions>(program, {
    name: 'create-merchant',
    summary: 'Create a merchant',
    async run(runtime, options) {
      const { id } = await createMerchant(operatorContext(runtime), { companyName: options.company, email: options.email });
      return { merchantId: id };
    },
  })
    .requiredOption('--company <name>', 'Company name', shortLine)
    .requiredOption('--email <address>', 'Contact email address', email);
  add<TierOptions>(program, {
    name: 'set-tier',
    summary: 'Change the billing tier of a merchant; with Stripe, until the next event of their subscription',
    async run(runtime, { merchant: merchantId, tier }) {
      await changeBilling(operatorContext(runtime), { merchantId, changes: { billingTier: tier } });
      return { merchantId, tier };
    },
  })
    .requiredOption('--merchant <id>', 'Merchant ID', uuid)
    .addOption(new Option('--tier <tier>', 'Billing tier').choices([...BILLING_TIERS]).makeOptionMandatory());
};

interface TierOptions {
  merchant: string;
  tier: BillingTier;
}

interface ProfileOptions {
  email: string;
  name: string;
}

interface AffiliateOptions extends ProfileOptions {
  program: string;
  code?: string;
  paypalEmail?: string;
  bankIban?: string;
  bankHolder?: string;
}

export const addAffiliateCommands: AddCommands = (program, add) => {
  add<ProfileOptions>(program, {
    name: 'create-profile',
    summary: 'Create the profile of a person who is to join programs with a key of their own, or return the existing one',
    run: (runtime, { email, name }) =>
      inTransaction(operatorContext(runtime), async (ctx) => {
        const profile = await findOrCreateProfile(ctx, { email, name });
        return { profileId: profile.id };
      }),
  })
    .requiredOption('--email <address>', 'Email address; each address has one profile', email)
    .requiredOption('--name <name>', 'Full name', shortLine);
  add<AffiliateOptions>(program, {
    name: 'create-affiliate',
    summary: 'Add an approved affiliate to a program',
    run: (runtime, options) =>
      createAffiliate(operatorContext(runtime), {
        programId: options.program,
        email: options.email,
        name: options.name,
        code: options.code,
        payout: { paypalEmail: options.paypalEmail, bankIban: options.bankIban, bankAccountHolder: options.bankHolder },
        source: 'import',
      }),
  })
    .requiredOption('--program <id>', 'Program ID', uuid)
    .requiredOption('--email <address>', 'Email address; each address has one profile', email)
    .requiredOption('--name <name>', 'Full name', shortLine)
    .option('--code <code>', 'Referral code (random if omitted)')
    .option('--paypal-email <address>', 'PayPal address for payouts', email)
    .option('--bank-iban <iban>', 'IBAN for payouts by bank transfer')
    .option('--bank-holder <name>', 'Account holder of the IBAN');
};

export const addPeopleCommands: AddCommands = (program, add) => {
  add<{ email: string }>(program, {
    name: 'erase-person',
    summary: "Replace a person's data in every table, and list what was kept and why",
    async run(runtime, options) {
      // The keys of the person end on all processes at once.
      const isConnected = await waitForRedis(runtime);
      const ctx = operatorContext(runtime);
      const { erased, ...rest } = await erasePerson(ctx, options);
      // Last: what was written meanwhile is among them.
      const mails = await eraseMails(ctx, { address: options.email });
      if (!isConnected)
        process.stderr.write('redis unavailable: running processes may accept the keys for up to 5 more seconds\n');
      return { ...rest, erased: { ...erased, mails } };
    },
  }).requiredOption('--email <address>', 'Email address of the person', anyEmail);
  add<{ merchant: string; email: string; role: Role }>(program, {
    name: 'invite-person',
    summary: 'Invite a person to a merchant by mail, and print the link, which works for 7 days',
    async run(runtime, { merchant: merchantId, email, role }) {
      const ctx = operatorContext(runtime);
      await assertMerchantExists(ctx, merchantId);
      const { invite, url } = await createPersonInvite(ctx, { merchantId, email, role });
      return { inviteId: invite.id, url, expiresAt: invite.expiresAt.toISOString() };
    },
  })
    .requiredOption('--merchant <id>', 'Merchant ID', uuid)
    .requiredOption('--email <address>', 'Email address of the person', email)
    .addOption(new Option('--role <role>', 'What the person may do').choices([...ROLES]).makeOptionMandatory());
  const addForMailbox = (command: CommandDefinition<MailboxOptions>): Command =>
    add(program, command)
      .option('--email <address>', 'Email address of the person', email)
      .option('--merchant <id>', 'Merchant ID that the person with --email belongs to', uuid)
      .option('--affiliate <profile id>', 'Affiliate profile ID', uuid);
  addForMailbox({
    name: 'sign-in-link',
    summary: 'Print a link with which a person signs in once within 15 minutes: pass --email or --affiliate',
    async run(runtime, options) {
      const ctx = operatorContext(runtime);
      const { url, code, expiresAt } = await createSignInLink(ctx, { email: await mailboxOf(ctx, options) });
      return { url, code, expiresAt: expiresAt.toISOString() };
    },
  });
  addForMailbox({
    name: 'replace-passkeys',
    summary: 'Remove the passkeys of a person who lost them, after 24 hours and a mail with which the person stops it',
    async run(runtime, options) {
      const ctx = operatorContext(runtime);
      const ownerId = options.affiliate ?? options.merchant;
      if (ownerId === undefined) throw usage('pass --merchant and --email, or --affiliate');
      const { personId, dueAt } = await replacePasskeys(ctx, { email: await mailboxOf(ctx, options), ownerId });
      return { personId, dueAt: dueAt.toISOString() };
    },
  });
};

interface MailboxOptions {
  merchant?: string;
  affiliate?: string;
  email?: string;
}

/** NOT_FOUND for an address with which nobody could sign in, or nobody of the merchant. */
const mailboxOf = async (ctx: Context, { merchant, affiliate, email }: MailboxOptions): Promise<string> => {
  if (affiliate !== undefined && merchant === undefined && email === undefined) return getProfileEmail(ctx, affiliate);
  if (email === undefined || affiliate !== undefined) throw usage('pass --email, with --merchant or without, or --affiliate');
  await (merchant === undefined ? assertKnownMailbox(ctx, { email }) : assertMember(ctx, { merchantId: merchant, email }));
  return email;
};
