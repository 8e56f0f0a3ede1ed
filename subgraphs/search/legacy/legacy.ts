import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { Knowledge, KnowledgeCounts } from '../knowledge/knowledge.ts';
import type { Card } from '../query/card.ts';
import { MAX_CARDS, USUAL_CARDS, withReadableInput } from '../query/input.ts';
import type { QueryService } from '../query/query.ts';
import type { Domain } from '../shared/domains.ts';
import { SCOPES, searchOperations } from '../shared/operations.ts';

/** Encoder of the vector lane, or its fallback (spec 2.8). */
type ActiveEncoder = 'hash' | 'onnx' | 'onnx-fallback' | 'hash-fallback';

interface LegacyOptions extends Pick<Deps, 'operation'> {
  readonly find: QueryService['find'];
  readonly knowledge: Pick<Knowledge, 'rebuild'>;
  readonly activeEncoder: () => ActiveEncoder;
}

/** A result in the words of the surface that unified search replaces. */
interface LegacyResult {
  /** The piece of text that was found. */
  readonly id: string;
  readonly title: string;
  readonly snippet: string;
  readonly kind: string;
  readonly score: number;
  readonly href: string | null;
}

interface LegacyAnswer {
  readonly query: string;
  readonly topK: number;
  readonly results: readonly LegacyResult[];
  readonly diagnostics: {
    readonly mode: 'hybrid' | 'fts-only';
    readonly usedVector: boolean;
    readonly activeEncoder: ActiveEncoder;
    readonly durationMs: number;
  };
}

interface LegacyRebuild extends KnowledgeCounts {
  readonly durationMs: number;
}

const DOMAINS: readonly Domain[] = ['knowledge', 'findings', 'vex', 'policy'];

const searchInput = Type.Object({
  q: Type.Optional(Type.String()),
  k: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CARDS })),
});

/** The text around what matched; of a card whose title alone matched, its summary. */
const snippetOf = ({ highlights, summary }: Card): string =>
  highlights.find(({ field }) => field === 'body')?.text ?? summary;

const msSince = (started: number): number => Math.round((performance.now() - started) * 100) / 100;

/** Creates the deprecated knowledge search (spec 4.7) over the index of its successor. */
export const createLegacy = ({ operation: creator, find, knowledge, activeEncoder }: LegacyOptions) => {
  const operation = searchOperations(creator);
  const search = operation({
    name: 'knowledge.search',
    cost: 500,
    kind: 'read',
    isDetached: true,
    scope: SCOPES.operate,
    input: searchInput,
    raises: ['advisoryai.validation.query_required', 'advisoryai.validation.query_too_long'],
    example: { q: 'rotate the signing key' },
    async run(caller, { q, k = USUAL_CARDS }): Promise<LegacyAnswer> {
      const input = { ...(q !== undefined && { q }), k, filters: { domains: [...DOMAINS] } };
      const { query, topK, cards, diagnostics, chunks } = await find(caller, input);
      const { mode, usedVector, durationMs } = diagnostics;
      const results = cards.map((card): LegacyResult => {
        const [id = card.entityKey] = card.chunkIds;
        const { title, entityType: kind, score } = card;
        return { id, title, snippet: snippetOf(card), kind, score, href: chunks.get(id)?.uri ?? null };
      });
      return { query, topK, results, diagnostics: { mode, usedVector, activeEncoder: activeEncoder(), durationMs } };
    },
  });

  const rebuild = operation({
    name: 'knowledge.rebuild',
    cost: 4_000,
    kind: 'write',
    scope: SCOPES.admin,
    input: Type.Object({}),
    // The shared corpus is written in transactions of its own; the transaction of the operation writes the event.
    async prepare(): Promise<LegacyRebuild> {
      const started = performance.now();
      const counts = await knowledge.rebuild();
      return { ...counts, durationMs: msSince(started) };
    },
    async run(caller, _input, tx, rebuilt): Promise<LegacyRebuild> {
      const { durationMs: _, ...counts } = rebuilt;
      await event(tx, caller, 'knowledge.rebuild', {
        entity: 'SearchIndex',
        id: 'knowledge',
        version: 1,
        data: { ...counts },
      });
      return rebuilt;
    },
  });

  return { search: withReadableInput(search, true), rebuild };
};
