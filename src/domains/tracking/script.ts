import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ScriptConfig } from './browser-script/script-config.ts';

/** Generated from `browser-script/`. */
const SOURCE = readFileSync(new URL('./browser-script.min.js', import.meta.url), 'utf8').trimEnd();

/** The script of one program: the same for all visitors. */
export const renderScript = (config: ScriptConfig): string => `(function(CONFIG){${SOURCE}})(${JSON.stringify(config)});\n`;

/** Weak: it is the same for the compressed script. */
export const etagOf = (script: string): string => `W/"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`;
