import { join } from './en/join.ts';
import { keys } from './en/keys.ts';
import { kit } from './en/kit.ts';
import { portal } from './en/portal.ts';
import { signIn } from './en/sign-in.ts';
import { signUp } from './en/sign-up.ts';

export const en = { join, keys, kit, portal, signIn, signUp };
