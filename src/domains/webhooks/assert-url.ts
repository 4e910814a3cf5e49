import type { Context } from '../../platform/context.ts';
import { invalidField } from '../../platform/errors.ts';
import { judgeUrl } from '../../platform/outbound/judge-url.ts';
import { URL_RULES } from '../../platform/outbound/url-rules.ts';

/** Asks a name server: outside any transaction. The refusal names the rule and never an address that was found. */
export const assertUrl = async (ctx: Context, url: string | undefined): Promise<void> => {
  const broken = url === undefined ? null : await judgeUrl(ctx.settings.outbound, url);
  if (broken) throw invalidField('url', URL_RULES[broken], broken);
};
