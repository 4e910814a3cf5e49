/** Fields of clicks and of tracking. */
export const TRACKING_FIELDS: Readonly<Record<string, string>> = {
  'recordClick.programId': 'Program whose website reports the click',
  pageUrl: 'Address of the page that the visitor landed on. Its UTM parameters, `sub1` to `sub5` and ad-click ids are kept',
  'recordClick.referralCode': 'Code of the affiliate or of one of its links, as in `via`',
  referrer: 'Page that the visitor came from; null or empty if unknown',
  consentGranted: 'Whether the visitor agreed to tracking. Needed where the program requires consent',
  visitorId: 'Random id of the visitor, which the script keeps in a cookie. Left out: address and browser stand for the visitor',
  'Click.status': '`ok`: the click counts. `ignored`: it does not, for the reason given',
  'Click.reason':
    'Why the click was ignored: `UNKNOWN_CODE` is no code of this program, `PROGRAM_INACTIVE` is a paused or archived program; null for `ok`',
  affiliateCode: 'Code of the affiliate; null for an ignored click',
  'Click.clickToken': 'Token of the click, to be sent with the sale; null for an ignored click',
  'Click.cookieDuration': 'Days in which a sale is credited',
  'followLink.code': 'Code of the affiliate or of one of its links',
};
