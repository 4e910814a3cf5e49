import { findOrCreateProfile } from '../domains/affiliates/index.ts';
import { createAffiliate } from '../domains/applications/index.ts';
import { inTransaction } from '../platform/context.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { email, shortLine, uuid } from './options.ts';

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
