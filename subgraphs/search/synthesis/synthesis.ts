import type { Who } from '@landfall/kernel/core/caller';
import type { SseSource } from '@landfall/kernel/http/sse-body';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { Recorder } from '../quality/recorder.ts';
import type { Found, Synthesis } from '../query/card.ts';
import { searchFilters, searchInput, withReadableInput } from '../query/input.ts';
import type { QueryService } from '../query/query.ts';
import { SCOPES, searchOperationsWith } from '../shared/operations.ts';
import type { SearchSettings } from '../shared/settings.ts';
import { answerOf } from './answer.ts';
import { type Citable, ground } from './grounding.ts';
import { createModel, type Model } from './model.ts';
import { promptOf } from './prompt.ts';
import { createQuota, type Quota } from './quota.ts';
import { createSplitter } from './sentence-splitter.ts';

type LlmStatus = 'started' | 'completed' | 'timeout' | 'unavailable' | 'quota_exceeded';

/** Answer whose deterministic part is known. */
interface StreamedAnswer {
  readonly query: string;
  readonly cardCount: number;
  readonly synthesis: Synthesis;
  /** Streams the answer, the model's part last; a disconnect cancels the model. */
  stream(source: SseSource): Promise<void>;
}

interface SynthesisOptions extends Pick<Deps, 'operation' | 'database' | 'http' | 'clock' | 'ids' | 'log'> {
  readonly find: QueryService['find'];
  readonly recorder: Pick<Recorder, 'record'>;
  readonly settings: Pick<
    SearchSettings,
    | 'synthesisRequestsPerDay'
    | 'synthesisMaxConcurrent'
    | 'synthesisTimeoutMs'
    | 'synthesisModelUrl'
    | 'synthesisModel'
    | 'synthesisModelKey'
  >;
}

const { q, k, sessionId } = searchInput.properties;

const input = Type.Object({ q, k, filters: Type.Optional(searchFilters), sessionId });

interface ModelOutcome {
  readonly status: Exclude<LlmStatus, 'started'>;
  readonly accepted: number;
  readonly dropped: number;
}

const withoutModel = (status: ModelOutcome['status']): ModelOutcome => ({ status, accepted: 0, dropped: 0 });

const THOUSANDTHS = 1_000;

/** Share of the answer's sentences that rest on documents, the ones that were dropped among them; 0 where it abstains. */
const groundingOf = ({ abstained, sentences }: Synthesis, { accepted, dropped }: ModelOutcome): number => {
  if (abstained) return 0;
  const grounded = sentences.length + accepted;
  return Math.round((grounded / (grounded + dropped)) * THOUSANDTHS) / THOUSANDTHS;
};

/** Sends an event of the stream; each is one line of JSON. */
const senderOf =
  ({ send }: SseSource) =>
  (event: string, data: object): void =>
    send({ event, data: JSON.stringify(data) });

/** Passes a model's text on, sentence by sentence, as far as its citations hold. */
const createGroundedWriter = (citable: Citable, send: (event: string, data: object) => void) => {
  const splitter = createSplitter();
  let [accepted, dropped] = [0, 0];
  const judge = (sentences: readonly string[]): void => {
    for (const written of sentences) {
      const sentence = ground(written, citable);
      if (sentence) {
        accepted += 1;
        send('llm_chunk', sentence);
      } else dropped += 1;
    }
  };
  return {
    push: (piece: string): void => judge(splitter.push(piece)),
    end: (): void => judge(splitter.end()),
    counts: () => ({ accepted, dropped }),
  };
};

interface ModelAccess {
  readonly model: Model;
  readonly quota: Quota;
}

export const createSynthesis = (options: SynthesisOptions) => {
  const { find, recorder, settings, clock, ids, log, http } = options;
  const operation = searchOperationsWith(options.operation, SCOPES.synthesize);
  const timeoutMs = settings.synthesisTimeoutMs;

  const speaker: ModelAccess | undefined = settings.synthesisModelUrl
    ? {
        model: createModel(http, {
          url: settings.synthesisModelUrl,
          model: settings.synthesisModel,
          key: settings.synthesisModelKey,
        }),
        quota: createQuota(options, {
          requestsPerDay: settings.synthesisRequestsPerDay,
          maxConcurrent: settings.synthesisMaxConcurrent,
          timeoutMs,
        }),
      }
    : undefined;

  /** Requires a quota slot. */
  const ask = async (caller: Who, found: Found, source: SseSource, model: Model): Promise<ModelOutcome> => {
    const send = senderOf(source);
    const { messages, citable } = promptOf(found, `document-${ids.uuid()}`);
    const editor = createGroundedWriter(citable, send);
    send('llm_status', { status: 'started' });
    const { tenant, correlationId } = caller;
    const request = { messages, tenant, correlationId, timeoutMs, signal: source.signal };
    const { end, reason } = await model.ask(request, editor.push);
    // A sentence that was cut off in the middle is not judged.
    if (end === 'completed') editor.end();
    else if (end !== 'gone') log.warn({ tenant, end, reason }, 'search.synthesis: the model gave no whole answer');
    return { status: end === 'gone' ? 'unavailable' : end, ...editor.counts() };
  };

  const askWithinQuota = async (caller: Who, found: Found, source: SseSource): Promise<ModelOutcome> => {
    // A caller that has disconnected must not use up one of the day's requests.
    if (!speaker || source.signal.aborted) return withoutModel('unavailable');
    const slot = await speaker.quota.acquire(caller.tenant);
    if (!slot) return withoutModel('quota_exceeded');
    try {
      return await ask(caller, found, source, speaker.model);
    } finally {
      await slot.release();
    }
  };

  /** Never rejects: the deterministic part is complete without it. */
  const askSafely = async (caller: Who, found: Found, source: SseSource): Promise<ModelOutcome> => {
    try {
      return await askWithinQuota(caller, found, source);
    } catch (error) {
      log.error({ err: error, tenant: caller.tenant }, 'search.synthesis: the model could not be asked');
      return withoutModel('unavailable');
    }
  };

  const synthesize = operation({
    name: 'search.synthesize',
    cost: 1_000,
    kind: 'read',
    isDetached: true,
    scope: SCOPES.operate,
    input,
    raises: ['advisoryai.validation.query_required', 'advisoryai.validation.query_too_long'],
    example: { q: 'denial of service' },
    async run(caller, asked): Promise<StreamedAnswer> {
      const started = clock.now().getTime();
      const { found, synthesis } = await answerOf(find, caller, asked);
      const { query, cards } = found;

      const stream = async (source: SseSource): Promise<void> => {
        const send = senderOf(source);
        const { abstained, sentences } = synthesis;
        send('synthesis_start', { query, cardCount: cards.length });
        for (const { text, citations } of sentences) send('deterministic', { text, citations, abstained });
        await source.drained();
        // Without documents about the question a model would have nothing to cite.
        const announcement = abstained ? withoutModel('unavailable') : await askSafely(caller, found, source);
        send('llm_status', { status: announcement.status });
        send('grounding', { coverage: groundingOf(synthesis, announcement), dropped: announcement.dropped });
        const durationMs = clock.now().getTime() - started;
        send('synthesis_end', { durationMs });
        recorder.record(caller, {
          kind: 'synthesis',
          query,
          sessionId: asked.sessionId,
          resultCount: cards.length,
          outcome: abstained ? 'insufficient' : 'grounded',
          mode: source.signal.aborted ? 'aborted' : announcement.status,
          durationMs,
        });
      };
      return { query, cardCount: cards.length, synthesis, stream };
    },
  });

  return { synthesize: withReadableInput(synthesize, true) };
};
