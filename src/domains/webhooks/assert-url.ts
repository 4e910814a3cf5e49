import type { Context } from '../../platform/context.ts';
import { invalidField } from '../../platform/errors.ts';
import { URL_RULES } from '../../platform/outbound/url-rules.ts';
import { validateUrl } from '../../platform/outbound/validate-url.ts';

/** Asks a name server: outside any transaction. The refusal names the rule and never an address that was found. */
export const assertUrl = async (ctx: Context, url: string | undefined): Promise<void> => {
  const broken = url === undefined ? null : await validateUrl(ctx.settings.outbound, url);
  if (broken) throw invalidField('url', URL_RULES[broken], broken);
};
