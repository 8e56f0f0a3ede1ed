import { purlText } from './purl-text.ts';

/** Bom-ref in a table: a package URL as people read it, with its digest and other long names cut in the middle. */
export const aboutText = (bomRef: string): string =>
  purlText(bomRef).replace(/(sha256:)?([0-9a-f]{8})[0-9a-f]{52}([0-9a-f]{4})/g, '$2…$3');

/** Beginning and end of an id. */
export const shortId = (id: string): string => `${id.slice(0, 8)}…${id.slice(-4)}`;
