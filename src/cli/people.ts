import { Option } from 'commander';
import { BILLING_TIERS, type BillingTier } from '../contracts/programs.ts';
import { findOrCreateProfile } from '../domains/affiliates/index.ts';
import { createAffiliate } from '../domains/applications/index.ts';
import { erasePerson } from '../domains/me/index.ts';
import { changeBilling, createMerchant } from '../domains/merchants/index.ts';
import { eraseMails } from '../domains/notifications/index.ts';
import { inTransaction } from '../platform/context.ts';
import type { AddCommands } from './command.ts';
import { operatorContext, waitForRedis } from './operator.ts';
import { email, shortLine, uuid } from './options.ts';

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
  }).requiredOption('--email <address>', 'Email address of the person', email);
};
