import { z } from 'zod';
import { affiliateId } from '../../platform/http/fields.ts';
import { timestamp, uuid } from '../../platform/http/schemas.ts';

export const embedTokenBody = z.strictObject({
  affiliateId: uuid.describe('Affiliate who sees the page: the membership of one person in one program'),
});

export const embedTokenSchema = z
  .object({
    affiliateId,
    token: z.string().describe('Token of the page. Whoever has it sees the page until it expires'),
    url: z.url().describe('Address of the page, with the token'),
    expiresAt: timestamp.describe('When the page stops being shown, 15 minutes after the token was created'),
  })
  .meta({ id: 'EmbedToken' });

export type EmbedTokenView = z.infer<typeof embedTokenSchema>;

const token = 'WyIwMTk4ZjFjMi05YzIwIl0.5f2c8e0b6a1d4937';

export const embedTokenExample = {
  data: {
    affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
    token,
    url: `https://tributary.example/embed?token=${token}`,
    expiresAt: '2026-01-15T09:45:00.000Z',
  },
  body: { affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927' },
};
