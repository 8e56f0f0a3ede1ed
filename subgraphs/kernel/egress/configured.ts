import type { TenantId } from '../core/ids.ts';
import type { Query } from '../db/query.ts';
import { hasTable } from '../db/relations.ts';

/** Destination of outgoing traffic that a setting, an integration or a channel names. */
export interface ConfiguredDestination {
  /** Part of the product that sends there: `notifier`. */
  readonly feature: string;
  /** Thing that names it, in words: `channel deploys`. */
  readonly source: string;
  readonly host: string;
  readonly port: number;
  readonly transport: 'tcp' | 'udp' | 'http' | 'https';
  /** Whether it is for traffic of no tenant. */
  readonly isPlatform?: boolean;
}

/** Destinations of a tenant and of the installation's settings. It reads on the connection of its caller. */
export type DestinationDirectory = (query: Query, tenant: TenantId) => Promise<readonly ConfiguredDestination[]>;

/** Transport and port of an address that names no port, by its scheme. */
const SCHEMES = new Map<string, readonly [transport: 'http' | 'https' | 'tcp', port: number]>([
  ['https:', ['https', 443]],
  ['http:', ['http', 80]],
  ['redis:', ['tcp', 6379]],
  ['rediss:', ['tcp', 6379]],
]);

/** Destination of an address of http, https or the Redis protocol; none for any other text. */
export const destinationOf = (feature: string, source: string, address: string): readonly ConfiguredDestination[] => {
  const url = URL.parse(address);
  const [transport, usual] = SCHEMES.get(url?.protocol ?? '') ?? [];
  if (!url || !transport || usual === undefined) return [];
  const port = Number(url.port) || usual;
  return [{ feature, source, host: url.hostname.replace(/^\[|\]$/g, ''), port, transport }];
};

/** Directory of a module whose tables may be absent in a process of another role. */
export const whereTableExists =
  (table: string, list: DestinationDirectory): DestinationDirectory =>
  async (query, tenant) =>
    (await hasTable(query, table)) ? list(query, tenant) : [];
