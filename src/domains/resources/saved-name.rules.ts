import type { FileType } from '../../contracts/resources.ts';

/** The first one is added to other names. */
const EXTENSIONS: Readonly<Record<FileType, readonly [string, ...string[]]>> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'video/mp4': ['mp4', 'm4v'],
  'video/quicktime': ['mov', 'qt'],
  'video/webm': ['webm'],
  'application/pdf': ['pdf'],
};

/**
 * The name under which a file is saved. Systems open a file as what its extension says, so it has one of its type: a PDF named
 * `guide.html` could be a page that runs scripts as well.
 */
export const savedNameOf = (fileName: string, mimeType: FileType): string => {
  const [first, ...others] = EXTENSIONS[mimeType];
  const extension = /\.([^.]*)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return [first, ...others].includes(extension) ? fileName : `${fileName}.${first}`;
};
