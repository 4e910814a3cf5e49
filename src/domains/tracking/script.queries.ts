import type { ProgramStatus } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { v7Shape } from '../../platform/ids.ts';
import type { ScriptConfig } from './browser-script/script-config.ts';
import { renderScript } from './script.ts';

/** Parameters of links, in the order in which the script looks for them. */
const PARAMETERS = ['via', 'ref', 'r', 'a'];

interface ProgramRow {
  id: string;
  status: ProgramStatus;
  websiteDomain: string | null;
  cookieDuration: number;
  requiresConsent: boolean;
  aliases: string[];
}

const toConfig = (program: ProgramRow, publicUrl: string): ScriptConfig => ({
  programId: program.id,
  clickUrl: `${publicUrl}/api/tracking/click`,
  websiteDomain: program.websiteDomain,
  cookieDays: program.cookieDuration,
  consentRequired: program.requiresConsent,
  parameters: [...new Set([...PARAMETERS, ...program.aliases])],
  active: program.status === 'active',
});

/** The tracking script of a program; null when there is no such program. */
export const getScript = async (ctx: Context, programId: string): Promise<string | null> => {
  if (!v7Shape.test(programId)) return null;
  const program = await firstRow(
    ctx.em,
    sql<ProgramRow>`
      select p.id, p.status, p.website_domain as "websiteDomain", p.cookie_duration as "cookieDuration",
        coalesce(p.tracking_requires_consent, m.tracking_requires_consent) as "requiresConsent",
        coalesce(p.tracking_param_aliases, m.tracking_param_aliases) as aliases
      from program p join merchant m on m.id = p.merchant_id
      where p.id = ${programId}::uuid`,
  );
  return program && renderScript(toConfig(program, ctx.settings.publicUrl));
};
