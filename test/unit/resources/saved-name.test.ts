import { savedNameOf } from '../../../src/domains/resources/saved-name.rules.ts';

test.each([
  ['launch.png', 'image/png', 'launch.png'],
  ['Launch.PNG', 'image/png', 'Launch.PNG'],
  ['photo.jpeg', 'image/jpeg', 'photo.jpeg'],
  ['clip.mov', 'video/quicktime', 'clip.mov'],
  ['guide.html', 'application/pdf', 'guide.html.pdf'],
  ['guide.pdf.exe', 'application/pdf', 'guide.pdf.exe.pdf'],
  ['photo.png', 'image/jpeg', 'photo.png.jpg'],
  ['launch', 'image/gif', 'launch.gif'],
  ['.png', 'image/png', '.png'],
  ['launch.html.', 'image/webp', 'launch.html..webp'],
] as const)('%s of the type %s is saved as %s', (fileName, mimeType, saved) => {
  expect(savedNameOf(fileName, mimeType)).toBe(saved);
});
