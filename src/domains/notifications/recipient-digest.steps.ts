import type { Context } from '../../platform/context.ts';
import { canonicalEmail, normalizeEmail } from '../../platform/email.ts';

const PURPOSE = 'mail recipient';

/** Equal for equal addresses, in any case. */
export const recipientDigest = ({ cipher }: Pick<Context, 'cipher'>, address: string): string =>
  cipher.digest(normalizeEmail(address), PURPOSE);

/** Equal for all spellings of a mailbox: a tag ("+shop") makes no other person. */
export const mailboxDigest = ({ cipher }: Pick<Context, 'cipher'>, address: string): string =>
  cipher.digest(canonicalEmail(address), 'mailbox');
