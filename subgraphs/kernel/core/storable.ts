/** Whether PostgreSQL takes a text and gives the same one back: without NUL and without half of a surrogate pair. */
export const isStorable = (value: string): boolean => value.isWellFormed() && !value.includes('\0');
