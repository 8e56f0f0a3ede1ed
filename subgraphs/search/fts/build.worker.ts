import { mergeSegments } from './merge.ts';
import type { BuildRequests } from './messages.ts';
import { buildBatch } from './search-index.ts';
import { openSegment } from './segment.ts';
import { openSnapshot, SnapshotWriter } from './snapshot.ts';
import { serve } from './thread.ts';

const writer = new SnapshotWriter();

serve<BuildRequests>({
  build(changes) {
    const { segments, numbers } = buildBatch(changes);
    return { buffers: segments.map(({ buffer }) => buffer), numbers };
  },
  merge: ({ sources }) =>
    mergeSegments(sources.map(({ buffer, before }) => ({ segment: openSegment(buffer), removed: before }))).buffer,
  open: ({ directory }) => openSnapshot(directory),
  write({ directory, cursor, segments }) {
    writer.write(directory, cursor, segments);
    return null;
  },
});
