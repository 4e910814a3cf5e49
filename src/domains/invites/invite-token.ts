import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 20;

/** 160 random bits: an invite is found by its token only. Letters and digits survive in links of every mail program. */
export const generateInviteToken = (): string => `inv_${randomBytes(RANDOM_BYTES).toString('hex')}`;
