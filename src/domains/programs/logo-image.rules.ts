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

const ANIMATION = 0b10;

/** `file-type` tells an animated PNG apart, but no WebP. Only an extended one (`VP8X`) can be animated, and says so in its flags. */
const isAnimated = (bytes: Buffer, type: LogoType): boolean =>
  type === 'image/webp' && bytes.toString('latin1', 12, 16) === 'VP8X' && ((bytes[20] ?? 0) & ANIMATION) !== 0;

const typeOf = async (bytes: Buffer): Promise<LogoType> => {
  const found = (await fileTypeFromBuffer(bytes))?.mime;
  const type = LOGO_TYPES.find((known) => known === found);
  if (type === undefined || isAnimated(bytes, type)) throw wrong('must be a PNG, JPEG or WebP image that is not animated');
  return type;
};

/** As `image-size` names them: it reads the file anew, and may take it for an image of another kind. */
const NAMES = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const satisfies Record<LogoType, string>;

const sizeOf = (bytes: Buffer, type: LogoType): { width: number; height: number } => {
  try {
    const { type: name, ...size } = imageSize(bytes);
    if (name === NAMES[type]) return size;
  } catch {
    // As below.
  }
  throw wrong('must be a whole image');
};

const isWithin = (side: number): boolean => side >= MIN_LOGO_SIDE && side <= MAX_LOGO_SIDE;

/** An image as it was sent, in base64, if pages may show it. Its type and size are read from the file. */
export const readLogo = async (base64: string): Promise<LogoImage> => {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_LOGO_BYTES) throw wrong(`must be at most ${MAX_LOGO_BYTES} bytes`, 'too_big');
  const type = await typeOf(bytes);
  const { width, height } = sizeOf(bytes, type);
  if (!isWithin(width) || !isWithin(height)) throw wrong(`must be ${MIN_LOGO_SIDE} to ${MAX_LOGO_SIDE} pixels wide and high`);
  return { bytes, type, width, height };
};
