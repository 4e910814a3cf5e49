import type { ResourceKind } from '../../../contracts/resources.ts';
import { type MailContent, plain } from '../mail-content.rules.ts';

const KINDS: Readonly<Record<ResourceKind, string>> = {
  collection: 'Collection',
  file: 'File',
  social_post: 'Social post',
  swipe_copy: 'Swipe copy',
  external_link: 'Link',
};

export interface ResourceMail {
  title: string;
  kind: ResourceKind;
  programName: string;
  companyName: string;
}

export const resourceAnnouncedMail = ({ title, kind, programName, companyName }: ResourceMail): MailContent => ({
  subject: `${plain(companyName)} has new material for you`,
  heading: 'New marketing material',
  paragraphs: [`${plain(companyName)} published material with which you can promote ${plain(programName)}.`],
  sections: [
    {
      title: null,
      facts: [
        ['Title', plain(title)],
        ['Kind', KINDS[kind]],
        ['Program', plain(programName)],
      ],
    },
  ],
  steps: [{ text: 'Sign in to your account', page: '/portal' }],
  footer: `You receive this because you joined ${plain(programName)}. A company can send only a few of these mails a week.`,
});
