import { createMerchant } from '../domains/merchants/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { email, shortLine } from './options.ts';

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
};
