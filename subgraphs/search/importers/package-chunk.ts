import type { Chunk } from '../corpus/chunk.ts';
import { chunkOf, listed } from './chunk-builder.ts';
import { parsePurl } from './identifiers.ts';
import { unique } from './values.ts';

interface ListedPackage {
  readonly source: string;
  readonly documentKey: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly purl: string | undefined;
  /** Other exact names: CPE, hashes. */
  readonly names: readonly (string | undefined)[];
  readonly description: string | undefined;
  readonly licences: readonly string[];
  readonly supplier: string | undefined;
  readonly kind: string | undefined;
  readonly subject: string | undefined;
  readonly occurredAt: Date | undefined;
}

/** Chunk of a package; versions in any bill share a card. */
export const packageChunk = (listing: ListedPackage): Chunk => {
  const { version, licences, supplier } = listing;
  // It is listed at each of its packages.
  const subject = listing.subject?.slice(0, 500);
  const purl = parsePurl(listing.purl);
  const name = purl?.name ?? listing.name ?? listing.documentKey;
  const isImage = listing.kind === 'container';
  return chunkOf(isImage ? 'image' : 'package', purl?.base ?? name, {
    domain: 'scanner',
    source: listing.source,
    documentKey: listing.documentKey,
    title: version === undefined ? name : `${name} ${version}`,
    body: [
      listing.description,
      licences.length > 0 ? `Licence: ${listed(licences)}.` : undefined,
      supplier && `From ${supplier}.`,
      subject && `Part of ${subject}.`,
    ],
    identifiers: [listing.purl, purl?.base, ...listing.names],
    packages: unique([name, listing.name]),
    ecosystem: purl?.ecosystem,
    occurredAt: listing.occurredAt,
    attributes: { version, licences, supplier, subject, kind: listing.kind },
  });
};
