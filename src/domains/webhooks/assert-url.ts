import type { Context } from '../../platform/context.ts';
import { invalidField } from '../../platform/errors.ts';
import { URL_RULES } from '../../platform/outbound/url-rules.ts';
import { validateUrl } from '../../platform/outbound/validate-url.ts';

/** Performs a DNS lookup, so call it outside of transactions. The error names the rule but no resolved address. */
export const assertUrl = async (ctx: Context, url: string | undefined): Promise<void> => {
  const violated = url === undefined ? null : await validateUrl(ctx.settings.outbound, url);
  if (violated) throw invalidField('url', URL_RULES[violated], violated);
};
