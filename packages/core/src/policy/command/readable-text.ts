const PLAIN_ASCII = /^[ -~]*$/;

/** What can't be seen, looks like a blank without being one, or stands for bytes that were no UTF-8. */
const UNREADABLE =
  /[\p{Cc}\p{Cf}\p{Surrogate}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFFD]|(?! )\p{Zs}/u;

/** Whether a text is what it looks like: no control, bidirectional or zero-width character, and composed (NFC). */
export function isReadable(text: string): boolean {
  if (PLAIN_ASCII.test(text)) return true;
  return !UNREADABLE.test(text) && text.normalize("NFC") === text;
}
