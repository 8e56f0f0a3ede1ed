import type { HttpResponse } from '../http/client.ts';

/** Path and query of the next page of a list (RFC 8288), if it is below `prefix` at the same registry. */
export const nextPage = (origin: string, prefix: string, { headers, url }: HttpResponse): string | undefined => {
  const [, target] = /<([^>]+)>\s*;\s*rel="?next"?/i.exec(headers.link ?? '') ?? [];
  const next = target === undefined ? null : URL.parse(target, url);
  if (!next || next.origin !== new URL(origin).origin || !next.pathname.startsWith(prefix)) return undefined;
  return `${next.pathname}${next.search}`;
};
