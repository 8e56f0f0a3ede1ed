import type { LiveSegment } from './live-segment.ts';
import { liveSegmentOf } from './live-segment.ts';
import type { Changed, QueryRequests, SharedSegment } from './messages.ts';
import { packAnswer } from './packed-answer.ts';
import { SearchIndex } from './search-index.ts';
import { openSegment } from './segment.ts';
import { serve } from './thread.ts';

const index = new SearchIndex();

const sharedOf = ({ id, segment, removed }: LiveSegment): SharedSegment => ({
  id,
  buffer: segment.buffer,
  removed: removed.buffer,
});

const changed = (): Changed => {
  const { added, dropped } = index.drainChanges();
  return { added: added.map(sharedOf), dropped, chunks: index.documents };
};

const known = (ids: ReadonlySet<number>): LiveSegment[] => index.segments().filter(({ id }) => ids.has(id));

serve<QueryRequests>({
  search: (query) => packAnswer(index.search(query)),
  apply(changes) {
    index.apply(changes);
    return changed();
  },
  install({ buffers, numbers }) {
    index.install({ segments: buffers.map(openSegment), numbers });
    return changed();
  },
  restore(segments) {
    for (const { buffer, removed } of segments) index.add(liveSegmentOf(openSegment(buffer), new Uint8Array(removed)));
    return changed();
  },
  plan({ fan }) {
    const sources = index.plan(fan);
    return (
      sources && {
        sources: sources.map(({ id, segment, removed }) => ({ id, buffer: segment.buffer, before: removed.slice() })),
      }
    );
  },
  replace({ sources, merged }) {
    const lives = known(new Set(sources.map(({ id }) => id)));
    const before = lives.map((live) => sources.find(({ id }) => id === live.id)?.before ?? new Uint8Array());
    if (lives.length === sources.length) index.replace(lives, openSegment(merged), before);
    return changed();
  },
  numbers: ({ tenant }) => index.numbersOf(tenant),
  clear({ tenant }) {
    index.clear(tenant);
    return changed();
  },
});
