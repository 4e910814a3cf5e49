import { z } from 'zod';
import { programId } from '../../platform/http/fields.ts';
import type { StripeConnectStart } from './use-cases/stripe-connection.ts';

const OAUTH_URL = 'oauth_url';

const connectMethod = z.literal(OAUTH_URL).describe('How the account is connected: by OAuth in a browser');

export const connectStripeBody = z.strictObject({
  method: connectMethod.optional().describe(`How the account is connected. Default: ${OAUTH_URL}`),
});

export const stripeConnectStartSchema = z
  .object({
    connected: z.boolean().describe('Whether the program is connected already'),
    method: connectMethod,
    programId,
    authUrl: z.url().optional().describe('Open it in a browser within 30 minutes. Left out when the program is connected'),
    message: z.string().describe('What to do next'),
  })
  .meta({ id: 'StripeConnectStart' });

export const stripeDisconnectedSchema = z
  .object({ success: z.literal(true).describe('The program is not connected to Stripe'), programId })
  .meta({ id: 'StripeDisconnected' });

export const toStripeConnectStart = ({ program, authUrl }: StripeConnectStart): z.infer<typeof stripeConnectStartSchema> => ({
  connected: authUrl === null,
  method: OAUTH_URL,
  programId: program.id,
  ...(authUrl === null ? {} : { authUrl }),
  message:
    authUrl === null
      ? 'This program is connected to Stripe. Disconnect it first to connect another account.'
      : 'Open authUrl in a browser, grant access to your Stripe account, and confirm it.',
});
