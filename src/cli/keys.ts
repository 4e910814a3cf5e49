import { Option } from 'commander';
import { PRESETS } from '../contracts/scopes.ts';
import { assertAffiliateProfileExists } from '../domains/affiliates/index.ts';
import { createApiKey, revokeApiKey, setApiKeyRateLimit } from '../domains/auth/index.ts';
import { assertMerchantExists } from '../domains/merchants/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext, waitForRedis } from './operator.ts';
import {
  type KeyOptions,
  ownerAndType,
  requestsPerMinute,
  requestsPerMinuteOrTier,
  scopeList,
  shortLine,
  TYPE_WORDS,
  timestamp,
  uuid,
} from './options.ts';

const warn = (text: string): void => void process.stderr.write(`${text}\n`);

export const addKeyCommands: AddCommands = (program, add) => {
  addCreateKey(program, add);
  add<{ id: string; descendants?: boolean }>(program, {
    name: 'revoke-key',
    summary: 'Revoke an API key immediately',
    async run(runtime, options) {
      const isConnected = await waitForRedis(runtime);
      const { key, descendants, cancelled } = await revokeApiKey(operatorContext(runtime), options);
      if (!isConnected) warn('Redis is unavailable: running processes may accept the key for up to 5 seconds');
      return { id: key.id, revokedAt: key.revokedAt?.toISOString(), descendants, cancelled };
    },
  })
    .requiredOption('--id <id>', 'API key ID', uuid)
    .option('--descendants', 'Revoke the keys created with it too');
  add<{ id: string; rateLimit: number | 'tier' }>(program, {
    name: 'set-rate-limit',
    summary: 'Change the rate limit of an API key immediately',
    async run(runtime, { id, rateLimit }) {
      const isConnected = await waitForRedis(runtime);
      const key = await setApiKeyRateLimit(operatorContext(runtime), { id, rateLimit: rateLimit === 'tier' ? null : rateLimit });
      if (!isConnected) warn('Redis is unavailable: running processes may use the old limit for up to 5 seconds');
      return { id: key.id, rateLimit: key.rateLimit };
    },
  })
    .requiredOption('--id <id>', 'API key ID', uuid)
    .requiredOption(
      '--rate-limit <n>',
      'Requests per minute, or "tier" for the limit of the billing tier',
      requestsPerMinuteOrTier,
    );
};

const addCreateKey: AddCommands = (program, add) => {
  add<KeyOptions>(program, {
    name: 'create-key',
    summary: 'Create an API key; its value is shown only once',
    async run(runtime, options) {
      const { ownerKind, ownerId, keyType } = ownerAndType(options);
      const ctx = operatorContext(runtime);
      await (ownerKind === 'merchant' ? assertMerchantExists(ctx, ownerId) : assertAffiliateProfileExists(ctx, ownerId));
      const { name, scopes, preset, rateLimit, expiresAt } = options;
      const { key, value } = await createApiKey(ctx, { keyType, ownerId, name, scopes, preset, rateLimit, expiresAt });
      return { id: key.id, value };
    },
  })
    .option('--merchant <id>', 'Owner: merchant ID', uuid)
    .option('--affiliate <profile id>', 'Owner: affiliate profile ID', uuid)
    .addOption(
      new Option('--type <type>', 'Key type (default: live for merchants, aff for affiliates)').choices([...TYPE_WORDS.keys()]),
    )
    .addOption(new Option('--preset <preset>', 'Named set of scopes').choices([...PRESETS]).conflicts('scopes'))
    .option('--scopes <a,b>', 'Scopes (default: all scopes of the key type)', scopeList)
    .option('--rate-limit <n>', 'Requests per minute (default: the limit of the billing tier)', requestsPerMinute)
    .option('--expires-at <time>', 'Expiry time, ISO 8601', timestamp)
    .option('--name <name>', 'Display name', shortLine, 'Operator');
};
