import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { generateSigningSecret } from '../../platform/crypto/standard-webhooks.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

const schema = z.object({
  /** Value of ENCRYPTION_KEYS. */
  encryptionKeys: z.string().min(1),
  sandboxApiKey: z.string().min(16),
  sandboxNotificationSecret: z.string().startsWith('whsec_'),
});

/** The secrets that the processes of this installation share. */
export type Secrets = z.infer<typeof schema>;

const pathIn = (folder: string): string => join(folder, 'keys.json');

export const findSecrets = (folder: string): Promise<Secrets | null> => readPrivateFile(pathIn(folder), schema);

export const createSecrets = async (folder: string): Promise<Secrets> => {
  const secrets = {
    encryptionKeys: `k1:${randomBytes(32).toString('base64')}`,
    sandboxApiKey: `sandbox_${randomBytes(24).toString('base64url')}`,
    sandboxNotificationSecret: generateSigningSecret(),
  };
  await writePrivateFile(pathIn(folder), secrets);
  return secrets;
};
