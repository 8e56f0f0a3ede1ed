/**
 * Text with only the characters that RFC 6749 5.2 and RFC 6750 3 allow in a description: printable, without the
 * quotation mark and the backslash.
 */
export const quotable = (text: string): string => text.replaceAll('’', "'").replace(/[^ !#-[\]-~]/g, '?');
