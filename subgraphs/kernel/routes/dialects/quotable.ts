/** RFC 6749 5.2, RFC 6750 3: what may stand in a description, printable and without the quotation mark and the backslash. */
export const quotable = (text: string): string => text.replaceAll('’', "'").replace(/[^ !#-[\]-~]/g, '?');
