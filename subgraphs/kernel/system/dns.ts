import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Egress } from './egress.ts';

/** TXT records of a name, or why they are not known. */
type TxtAnswer =
  | { readonly kind: 'records'; readonly records: readonly string[] }
  | { readonly kind: 'unanswered'; readonly reason: string };

export type ResolveTxt = (domain: string) => Promise<TxtAnswer>;

interface TxtResolverOptions {
  readonly egress: Egress;
  /** Name servers as `address` or `address:port`; those of the operating system where none are given. */
  readonly servers?: readonly string[];
}

const DNS_PORT = 53;
const TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 2;

/** Splits what `Resolver.getServers` returns: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
const destinationOf = (server: string) => {
  const [, host = server, port = ''] = isIP(server) ? [] : (/^\[?([^\]]*?)\]?:(\d+)$/.exec(server) ?? []);
  return { host, port: port === '' ? DNS_PORT : Number(port), transport: 'udp' as const };
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';

/**
 * Resolves TXT records by the name servers that the egress policy allows. An outage is an error, not an empty result.
 */
export const createTxtResolver =
  ({ egress, servers }: TxtResolverOptions): ResolveTxt =>
  async (domain) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: MAX_ATTEMPTS });
    const all = servers ?? resolver.getServers();
    const decided = all.map((server) => ({ server, decision: egress.decide(destinationOf(server)) }));
    const allowed = decided.filter(({ decision }) => decision.allowed).map(({ server }) => server);
    if (allowed.length === 0) {
      const [reason] = decided.flatMap(({ decision }) => (decision.allowed ? [] : decision.reason));
      return { kind: 'unanswered', reason: reason ?? 'no name server is known' };
    }
    resolver.setServers(allowed);
    try {
      const chunks = await resolver.resolveTxt(domain);
      return { kind: 'records', records: chunks.map((parts) => parts.join('')) };
    } catch (error) {
      const code = codeOf(error);
      return code === 'ENOTFOUND' || code === 'ENODATA'
        ? { kind: 'records', records: [] }
        : { kind: 'unanswered', reason: `the name servers answered ${code}` };
    }
  };
