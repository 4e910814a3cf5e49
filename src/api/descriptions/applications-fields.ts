/** Fields of applications. */
export const APPLICATIONS_FIELDS: Readonly<Record<string, string>> = {
  'Application.affiliateId': 'Id of the membership after the approval',
  'Application.status':
    '`pending` waits for your decision until `dueAt`. `withdrawn`: by the applicant, or because the data of the person was erased. `blocked`: the person can never apply to this program again',
  'Application.source': 'How the person applied to the program',
  'Application.name': 'Name of the applicant',
  'Application.email': 'Email address of the applicant',
  message: 'What the applicant wrote; null if nothing',
  'Application.note': 'Your note on the decision, which the applicant does not see; `expired` when nobody decided in time',
  riskNotes:
    'What to look at before you approve. `disposable_email`: a disposable address. `merchant_email_domain`: an address at the domain of your website. `duplicate_payout_details`: another person has the same payout account',
  'Application.dueAt': 'When the application is declined if nobody decides; null once it is decided',
  'OwnApplication.affiliateId': 'Id of your membership after the approval',
  'OwnApplication.status': '`pending` waits for the merchant. `blocked`: you cannot apply to this program again',
  'OwnApplication.programStatus':
    'An `archived` program takes no affiliates: an application that still waits is declined at the latest 30 days after it was submitted',
  'OwnApplication.source': 'How you applied to the program',
  reapplyAt: 'When you may apply to this program again after it was declined; null when you need not wait',
  'listApplications.status': 'Only applications with this status',
  'listApplications.source': 'Only applications that came this way',
  'listOwnApplications.status': 'Only applications with this status',
  'approveApplication.note': 'Kept with the application; the applicant does not see it. Default: none',
  'declineApplication.note': 'Kept with the application; the applicant does not see it. Default: none',
  'blockApplication.note': 'Kept with the application; the applicant does not see it. Default: none',
  'Application.decidedAt': 'When it was decided; null while it is pending',
  'OwnApplication.decidedAt': 'When it was decided or withdrawn; null while it is pending',
};
