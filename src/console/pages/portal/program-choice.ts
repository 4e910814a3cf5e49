import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { ownBrandOf } from '../../brand.ts';
import { buttonLink, emptyState } from '../../components/blocks.ts';
import { filters } from '../../components/table.ts';
import type { Html } from '../../html.ts';
import type { PageCall } from '../../page.ts';

export type MyProgram = OperationSuccess<'listMyPrograms'>['data'][number];

/** What lists show of one program at a time: the one of the address if they joined it, else the one that was joined last. Null without any. */
export const chosenProgram = async (
  call: PageCall<'listMyPrograms'>,
): Promise<{ programId: string; choice: Html | false; branding: ReturnType<typeof ownBrandOf> } | null> => {
  const { data } = await call.call('listMyPrograms');
  const chosen = data.find(({ programId }) => programId === call.query['program']) ?? data[0];
  if (!chosen) return null;
  const { programId } = chosen;
  const options = data.map((program) => ({ value: program.programId, label: program.programName }));
  const shown = { ...call, query: { program: programId } };
  return {
    programId,
    branding: ownBrandOf(chosen),
    choice: data.length > 1 && filters(shown, [{ name: 'program', label: call.texts.portal.program, options }]),
  };
};

export const withoutPrograms = ({ texts, allows }: Pick<PageCall, 'texts' | 'allows'>): Html =>
  emptyState({
    icon: 'store',
    title: texts.portal.noPrograms,
    ...(allows('listMarketplacePrograms') && { action: buttonLink('/portal/programs', texts.portal.findProgram, 'primary') }),
  });
