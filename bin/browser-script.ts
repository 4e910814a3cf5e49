import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path: string): string => fileURLToPath(new URL(`../src/domains/tracking/${path}`, import.meta.url));
const [outfile = at('browser-script.min.js')] = process.argv.slice(2);

// What all browsers since 2020 understand; older ones do not run the script.
await build({
  entryPoints: [at('browser-script/main.ts')],
  outfile,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2020',
});
process.stdout.write(`${outfile}\n`);
