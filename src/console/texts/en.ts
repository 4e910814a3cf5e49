import { kit } from './en/kit.ts';

export const en = { kit };
