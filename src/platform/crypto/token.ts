import { hash, randomBytes } from 'node:crypto';

/** 32 random bytes, and what is stored of them. */
export const generateToken = (): { token: string; tokenHash: Buffer } => {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashToken(token) };
};

export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');
