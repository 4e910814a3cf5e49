import { join } from './de/join.ts';
import { keys } from './de/keys.ts';
import { kit } from './de/kit.ts';
import { portal } from './de/portal.ts';
import { signIn } from './de/sign-in.ts';
import { signUp } from './de/sign-up.ts';
import type { en } from './en.ts';

/** A text that is missing here does not compile. */
export const de: typeof en = { join, keys, kit, portal, signIn, signUp };
