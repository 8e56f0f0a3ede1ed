import { labelOr, t } from './labels.ts';

/** Failure of a verification as the server names it: a stable slug, a colon, and text. */
export function failureParts(message: string): { readonly slug: string; readonly detail: string } {
  const [, slug = '', detail = message] = /^([a-z][a-z-]*): ([\s\S]*)$/.exec(message) ?? [];
  return { slug, detail };
}

/** First failure in words; the server's own text where its slug is newer than this console. */
export function failureText(message: string | null): string {
  if (message === null) return t('verify.failed');
  const { slug, detail } = failureParts(message);
  return labelOr(`verify.failure.${slug}`, detail);
}
