import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJson } from '../core/json.ts';
import { type Digest, sha256 } from '../crypto/digest.ts';
import type { HttpResponse } from '../http/client.ts';
import { nextPage } from './next-page.ts';
import { TAG_PATTERN } from './repository.ts';

/** Tags of a repository, as far as they were read. */
export interface TagList {
  readonly tags: readonly string[];
  /** Entity tag of the list; undefined where there is none, or more than one page. */
  readonly etag: string | undefined;
  /** Hash of the bytes of all pages. */
  readonly digest: Digest;
  /** Whether the list goes on beyond the bounds. */
  readonly isCut: boolean;
}

/** One page of a list of tags. */
export interface TagPage {
  readonly tags: readonly string[];
  readonly bytes: Buffer;
  readonly etag: string | undefined;
  readonly next: string | undefined;
}

/** Limits on reading the tags of one repository. */
export const tagBounds = { page: 1_000, pages: 20, tags: 10_000 } as const;

// Some registries answer null for a repository whose last tag is gone.
const document = Compile(Type.Object({ tags: Type.Union([Type.Array(Type.String()), Type.Null()]) }));
const tag = new RegExp(TAG_PATTERN);

/** Reads a page of a list (distribution-spec 1.1, end-8); undefined for another document. Malformed tags are left out. */
export const readTagPage = (origin: string, path: string, answer: HttpResponse): TagPage | undefined => {
  const value = parseJson(answer.body);
  if (!document.Check(value)) return undefined;
  return {
    tags: (value.tags ?? []).filter((each) => tag.test(each)),
    bytes: answer.body,
    etag: answer.headers.etag,
    next: nextPage(origin, `/v2/${path}/tags/`, answer),
  };
};

export const tagListOf = (pages: readonly TagPage[]): TagList => {
  const tags = pages.flatMap((page) => page.tags);
  const [only] = pages;
  const isCut = tags.length > tagBounds.tags || pages.at(-1)?.next !== undefined;
  return {
    tags: tags.slice(0, tagBounds.tags),
    etag: pages.length === 1 ? only?.etag : undefined,
    digest: sha256(Buffer.concat(pages.map(({ bytes }) => bytes))),
    isCut,
  };
};
