import { kit } from './en/kit.ts';
import { signIn } from './en/sign-in.ts';

export const en = { kit, signIn };
