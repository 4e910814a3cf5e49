import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ProgramStatus } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { v7Shape } from '../../platform/ids.ts';
import { db } from '../tables.ts';
import type { ScriptConfig } from './browser-script/script-config.ts';

/** Generated from `browser-script/`. */
const SOURCE = readFileSync(new URL('./browser-script.min.js', import.meta.url), 'utf8').trimEnd();

/** The script of one program: the same for all visitors. */
const renderScript = (config: ScriptConfig): string => `(function(CONFIG){${SOURCE}})(${JSON.stringify(config)});\n`;

/** Weak: it is the same for the compressed script. */
export const etagOf = (script: string): string => `W/"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`;

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

const programOf = compileOnce(({ id }: Given<{ id: string }>) =>
  db
    .selectFrom('program as p')
    .innerJoin('merchant as m', 'm.id', 'p.merchantId')
    .select(['p.id', 'p.status', 'p.websiteDomain', 'p.cookieDuration'])
    .select(({ fn }) => [
      fn.coalesce('p.trackingRequiresConsent', 'm.trackingRequiresConsent').as('requiresConsent'),
      fn.coalesce('p.trackingParamAliases', 'm.trackingParamAliases').as('aliases'),
    ])
    .where('p.id', '=', id),
);

/** The tracking script of a program; null when there is no such program. */
export const getScript = async (ctx: Context, programId: string): Promise<string | null> => {
  if (!v7Shape.test(programId)) return null;
  const program = await firstRow(ctx.em, programOf({ id: programId }));
  return program && renderScript(toConfig(program, ctx.settings.publicUrl));
};
