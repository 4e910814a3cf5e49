/** Fields of invites and of what becomes of a claim or an application. */
export const JOINING_FIELDS: Readonly<Record<string, string>> = {
  token:
    'Secret of the invite, 1 to 100 characters from A-Z, a-z, 0-9, _ and -: whoever has it can retrieve the invite, and claim it within its limits',
  'Invite.name': 'Label for your own records; null if there is none',
  'createInvite.name': 'Label for your own records. Default: none',
  'Invite.email': 'Only the person with this address can claim the invite; empty if anybody with the token can',
  'createInvite.email':
    'Only the person with this address can claim the invite. Not for public invites. Default: whoever has the link',
  'PublicInvite.email': 'Always empty: the address that the invite is for is not shown',
  isForOnePerson: 'Whether only the person with a certain email address can claim the invite',
  isPublic: 'Whether several people can claim the invite, as many as `usageLimit`. Default: false',
  'Invite.usageLimit': 'How many people can claim the invite',
  'createInvite.usageLimit':
    'How many people can claim a public invite. Default: 1,000, or 1 with a `trackingCode`. Always 1 for other invites',
  usageCount: 'How many people have claimed the invite',
  expiresInDays: 'Days until the invite expires. Default: 30',
  'Invite.trackingCode': 'Referral code that the affiliate gets; null for a random one',
  'createInvite.trackingCode':
    'Referral code that the affiliate gets, in any case: 3 to 50 characters from A-Z, a-z, 0-9, _ and -. It is reserved until the invite expires. Default: a random code',
  'Invite.skipOnboarding': 'Whether people who claim the invite are approved at once, unless billing restricts the merchant',
  'createInvite.skipOnboarding':
    'Approve people who claim the invite at once, whatever the settings of the program, unless billing restricts your account. Default: false',
  'Invite.status': 'Only `open` invites can be claimed. `program_inactive`: the program is paused or archived',
  'PublicInvite.status': 'Only `open` invites can be claimed. `program_inactive`: the program is paused or archived',
  'Invite.expiresAt': 'The invite can be claimed before this time',
  'PublicInvite.expiresAt': 'The invite can be claimed before this time',

  applicationId: 'The application, as listed by `GET /me/applications`',
  'JoinResult.status': '`auto_approved`: you are an affiliate of the program. `pending`: the merchant decides',
  'ClaimResult.status':
    '`auto_approved`: you are an affiliate of the program. `pending`: the merchant decides. `approved`: you claimed the invite before, and the merchant has approved you',
  'JoinResult.message': 'What you told the merchant; null if nothing',
  'applyToProgram.message': 'What the merchant should know about you. Default: none',
  nextSteps: 'What to do now, in sentences',
};
