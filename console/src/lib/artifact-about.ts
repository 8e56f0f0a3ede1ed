import { purlText } from './purl-text.ts';

/** Thing of the platform that a bom-ref names. */
type NamedEntity = { readonly kind: 'release' | 'deployment'; readonly id: string };

/** Release or deployment that a bom-ref of the platform names, `landfall:release:<id>`. */
export function entityOf(bomRef: string): NamedEntity | undefined {
  const [, kind, id] = /^landfall:(release|deployment):([0-9a-f-]{36})$/.exec(bomRef) ?? [];
  return id === undefined || (kind !== 'release' && kind !== 'deployment') ? undefined : { kind, id };
}

/** Bom-ref in a table: a package URL as people read it, with its digest and other long names cut in the middle. */
export const aboutText = (bomRef: string): string =>
  purlText(bomRef).replace(/(sha256:)?([0-9a-f]{8})[0-9a-f]{52}([0-9a-f]{4})/g, '$2…$3');

/** Beginning and end of an id. */
export const shortId = (id: string): string => `${id.slice(0, 8)}…${id.slice(-4)}`;
