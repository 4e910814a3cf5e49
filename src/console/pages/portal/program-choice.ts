import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { buttonLink, emptyState } from '../../components/blocks.ts';
import { filters } from '../../components/table.ts';
import type { Html } from '../../html.ts';
import type { PageCall } from '../../page.ts';

export type MyProgram = OperationSuccess<'listMyPrograms'>['data'][number];

/** What lists show of one program at a time: the one of the address, else the one that was joined last. Null without any. */
export const chosenProgram = async (
  call: PageCall<'listMyPrograms'>,
): Promise<{ programId: string; chosen: MyProgram | undefined; choice: Html | false } | null> => {
  const { data } = await call.call('listMyPrograms');
  const programId = call.query['program'] || data[0]?.programId;
  if (programId === undefined) return null;
  const options = data.map((program) => ({ value: program.programId, label: program.programName }));
  const shown = { ...call, query: { program: programId } };
  return {
    programId,
    chosen: data.find((program) => program.programId === programId),
    choice: data.length > 1 && filters(shown, [{ name: 'program', label: call.texts.portal.program, options }]),
  };
};

export const withoutPrograms = ({ texts }: Pick<PageCall, 'texts'>): Html =>
  emptyState({
    icon: 'store',
    title: texts.portal.noPrograms,
    action: buttonLink('/portal/programs', texts.portal.findProgram, 'primary'),
  });
