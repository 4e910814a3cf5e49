import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import { LOGO_TYPES, type LogoType, MAX_LOGO_BYTES, MAX_LOGO_SIDE, MIN_LOGO_SIDE } from '../../contracts/portals.ts';
import { type AppError, invalidField } from '../../platform/errors.ts';

export interface LogoImage {
  bytes: Buffer;
  type: LogoType;
  width: number;
  height: number;
}

const wrong = (message: string, code?: string): AppError => invalidField('logo', message, code);

const typeOf = async (bytes: Buffer): Promise<LogoType> => {
  const found = (await fileTypeFromBuffer(bytes))?.mime;
  const type = LOGO_TYPES.find((known) => known === found);
  if (type === undefined) throw wrong('must be a PNG, JPEG or WebP image that is not animated');
  return type;
};

const sizeOf = (bytes: Buffer): { width: number; height: number } => {
  try {
    return imageSize(bytes);
  } catch {
    throw wrong('must be a whole image');
  }
};

const isWithin = (side: number): boolean => side >= MIN_LOGO_SIDE && side <= MAX_LOGO_SIDE;

/** An image as it was sent, in base64, if pages may show it. Its type and size are read from the file. */
export const readLogo = async (base64: string): Promise<LogoImage> => {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_LOGO_BYTES) throw wrong(`must be at most ${MAX_LOGO_BYTES} bytes`, 'too_big');
  const type = await typeOf(bytes);
  const { width, height } = sizeOf(bytes);
  if (!isWithin(width) || !isWithin(height)) throw wrong(`must be ${MIN_LOGO_SIDE} to ${MAX_LOGO_SIDE} pixels wide and high`);
  return { bytes, type, width, height };
};
