import type { Context } from '../../platform/context.ts';

const PURPOSE = 'mail recipient';

/** Equal for equal addresses, in any case. */
export const recipientDigest = ({ cipher }: Pick<Context, 'cipher'>, address: string): string =>
  cipher.digest(address.trim().toLowerCase(), PURPOSE);
