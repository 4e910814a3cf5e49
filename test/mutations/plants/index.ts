import type { Plant } from '../plant.ts';
import { ACCESS } from './access.ts';
import { DOORS } from './doors.ts';
import { INPUT_AND_OUTPUT } from './input.ts';
import { MONEY } from './money.ts';
import { WORK } from './work.ts';

export const PLANTS: readonly Plant[] = [...ACCESS, ...DOORS, ...INPUT_AND_OUTPUT, ...MONEY, ...WORK];
