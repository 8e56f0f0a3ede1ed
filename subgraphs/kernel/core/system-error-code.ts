/** The `code` of a system or library error, or an empty string. */
export const systemErrorCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
