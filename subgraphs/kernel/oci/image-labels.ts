import { isJsonObject } from '../core/json.ts';

/** Source of an image as its builder labelled it (OCI image-spec, annotations.md). Nobody has signed it. */
export interface ImageLabels {
  /** Address of the source code. */
  readonly source: string | null;
  /** Commit, or what else the source control calls a revision. */
  readonly revision: string | null;
  readonly version: string | null;
}

const MAX_SOURCE = 2048;
const MAX_WORD = 200;

/** Text without spaces and control characters, of at most this length; null for anything else. */
const word = (value: unknown, max: number): string | null =>
  typeof value === 'string' && value.length <= max && /^[^\s\p{C}]+$/u.test(value) ? value : null;

/** Reads the labels in annotations of a manifest, or in the labels of an image configuration. */
export const readLabels = (values: unknown): ImageLabels => {
  const found = isJsonObject(values) ? values : {};
  return {
    source: word(found['org.opencontainers.image.source'], MAX_SOURCE),
    revision: word(found['org.opencontainers.image.revision'], MAX_WORD),
    version: word(found['org.opencontainers.image.version'], MAX_WORD),
  };
};

/** Merges labels of places in order of precedence. Source and revision come from one place, since they belong together. */
export const mergeLabels = (places: readonly ImageLabels[]): ImageLabels => {
  const named = places.find(({ revision }) => revision !== null) ?? places.find(({ source }) => source !== null);
  return {
    source: named?.source ?? null,
    revision: named?.revision ?? null,
    version: places.find(({ version }) => version !== null)?.version ?? null,
  };
};
