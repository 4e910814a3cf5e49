import { access } from 'node:fs/promises';
import { findProgram } from '../../../src/local/stack/programs.ts';
import { temporalCachePath } from '../../../src/local/stack/temporal-program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** One sentence for each program that tests need and that is not here, with what installs it. */
export const describeMissing = async (env: Environment): Promise<string[]> => {
  const isCached = await access(temporalCachePath(env)).then(
    () => true,
    () => false,
  );
  const found = async (...names: string[]): Promise<boolean> => (await findProgram(names, env)) !== null;
  const sentences = [
    isCached || (await found('temporal'))
      ? null
      : 'Temporal is not here yet: it is downloaded, or else built by Go in 5 to 10 minutes, once only',
    (await found(...BROWSERS)) ? null : 'Tests of pages need a browser: sudo apt-get install chromium',
    (await found('python3')) ? null : 'Tests of Python samples need Python: sudo apt-get install python3',
  ];
  return sentences.filter((sentence) => sentence !== null);
};
