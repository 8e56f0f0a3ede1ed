import type { Caller } from '@landfall/kernel/core/caller';
import type { Upstream } from '@landfall/kernel/module';
import Type from 'typebox';
import { Compile } from 'typebox/compile';

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  /** `http_404`, `http_503`, `timeout`, `unreachable`, `malformed`, `too_large`: the metric's reason, too. */
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`The route could not be read: ${reason}.`, options);
    this.reason = reason;
  }

  /** A route that does not exist; retrying cannot help. */
  get isAbsent(): boolean {
    return this.reason === 'http_404';
  }
}

interface PageRequest {
  readonly upstream: Upstream;
  readonly caller: Caller;
  readonly timeoutMs: number;
}

/** Upper bound of pages; a route beyond it returns cursors in a cycle. */
const MAX_PAGES = 5_000;
const MAX_BYTES = 32 * 1024 * 1024;

const page = Compile(
  Type.Object({
    items: Type.Array(Type.Unknown()),
    nextCursor: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 4_000 }), Type.Null()])),
  }),
);

/** Races the answer against the timeout; a port that ignores the signal is abandoned. */
const ask = async ({ upstream, caller, timeoutMs }: PageRequest, target: string) => {
  const signal = AbortSignal.timeout(timeoutMs);
  const delayed = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new UpstreamFailure('timeout')), { once: true });
  });
  try {
    return await Promise.race([upstream(caller, { target, signal }), delayed]);
  } catch (error) {
    if (error instanceof UpstreamFailure) throw error;
    throw new UpstreamFailure(signal.aborted ? 'timeout' : 'unreachable', { cause: error });
  }
};

const parsed = (body: Uint8Array): unknown => {
  if (body.byteLength > MAX_BYTES) throw new UpstreamFailure('too_large');
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  } catch (error) {
    throw new UpstreamFailure('malformed', { cause: error });
  }
};

const withCursor = (target: string, cursor: string): string =>
  `${target}${target.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;

/** Reads the items of a list page by page, as far as `nextCursor` leads. Throws UpstreamFailure. */
export async function* readPages(reading: PageRequest, target: string): AsyncGenerator<readonly unknown[]> {
  const ids = new Set<string>();
  let next: string | null | undefined;
  do {
    const { status, body } = await ask(reading, next ? withCursor(target, next) : target);
    if (status !== 200) throw new UpstreamFailure(`http_${status}`);
    const value = parsed(body);
    if (!page.Check(value)) throw new UpstreamFailure('malformed');
    yield value.items;
    next = value.nextCursor;
    if (next && (ids.has(next) || ids.size >= MAX_PAGES)) throw new UpstreamFailure('malformed');
    if (next) ids.add(next);
  } while (next);
}
