/** True for names of the IANA time zone database, links included. Bare offsets such as "+01:00" are none. */
export const isTimeZone = (text: string): boolean => {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
};
