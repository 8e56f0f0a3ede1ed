import { useCommands } from '../../lib/commands.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Section.tsx';
import { type Answer, type AnswerSentence, isInProgress, isRecordComplete, paragraphs } from './answer.ts';
import { Citation, type Sources } from './Citation.tsx';
import { t } from './labels.ts';
import styles from './Search.module.css';
import type { Answering } from './use-answer.ts';

/** Answer section: first sentences quoted from the sources, which stay; below them the model's answer, streamed. */
export function AnswerSection({ answering, sources }: { readonly answering: Answering; readonly sources: Sources }) {
  const { answer, problem, stop } = answering;
  const runs = answer !== undefined && problem === undefined && isInProgress(answer);
  useCommands(runs ? [{ id: 'search.stop', keys: 'Escape', title: t('search.answer.stop'), run: stop }] : []);
  // Results are shown without an answer, so this is a note and not a failure of the page.
  if (problem !== undefined)
    return (
      <Section title={t('search.answer.record')}>
        <p className="soft">{t('search.answer.none', { reason: problem.message })}</p>
      </Section>
    );
  if (answer === undefined) return null;
  return (
    <div>
      <RecordPart answer={answer} sources={sources} />
      {(answer.words.length > 0 || (answer.wasStarted && isInProgress(answer))) && (
        <WordsPart answer={answer} sources={sources} stop={stop} />
      )}
      <StatusLine answer={answer} />
    </div>
  );
}

/** Deterministic answer, put together from the best cards without a model. */
function RecordPart({ answer, sources }: { readonly answer: Answer; readonly sources: Sources }) {
  const { record, isAbstained } = answer;
  return (
    <Section title={t('search.answer.record')} count={t('search.answer.record.note')}>
      <div aria-busy={!isRecordComplete(answer)}>
        {record.length === 0 ? (
          <p className="soft">{t(isInProgress(answer) ? 'search.answer.loading' : 'search.answer.empty')}</p>
        ) : (
          <Recorded sentences={record} sources={sources} isMarked={!isAbstained} />
        )}
      </div>
    </Section>
  );
}

type RecordedProps = {
  readonly sentences: readonly AnswerSentence[];
  readonly sources: Sources;
  readonly isMarked: boolean;
};

/** Sentences of the deterministic answer: the first alone, then a paragraph for each source. */
export function Recorded({ sentences: [first, ...others], ...rest }: RecordedProps) {
  if (first === undefined) return null;
  return (
    <div className={styles.record}>
      <p>
        <Sentences sentences={[first]} {...rest} />
      </p>
      {paragraphs(others).map((sentences, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs have no other identity; they are added at the end.
        <p key={index}>
          <Sentences sentences={sentences} {...rest} />
        </p>
      ))}
    </div>
  );
}

type WordsPartProps = { readonly answer: Answer; readonly sources: Sources; readonly stop: () => void };

/** Answer that a model wrote from the same cards. */
function WordsPart({ answer, sources, stop }: WordsPartProps) {
  const runs = isInProgress(answer);
  const side = runs && (
    <Button weight="plain" size="small" onClick={stop}>
      {t('search.answer.stop.verb')} <kbd>{t('keys.escape')}</kbd>
    </Button>
  );
  return (
    <Section title={t('search.answer.model')} count={t('search.answer.model.note')} side={side}>
      <p className={styles.stream} aria-busy={runs}>
        <Sentences sentences={answer.words} sources={sources} isMarked />
        {runs && <span className={styles.caret} aria-hidden="true" />}
      </p>
    </Section>
  );
}

type SentencesProps = {
  readonly sentences: readonly AnswerSentence[];
  readonly sources: Sources;
  readonly isMarked: boolean;
};

/** Sentences with the chips of their sources. A sentence without one is marked, where sources exist. */
function Sentences({ sentences, sources, isMarked }: SentencesProps) {
  return sentences.map(({ text, citations }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: sentences have no other identity; they are added at the end.
    <span key={index}>
      {text}{' '}
      {citations.length === 0 && isMarked ? (
        <Badge tone="attention">{t('search.answer.unsupported')}</Badge>
      ) : (
        sources.of(citations).map((source) => <Citation key={source.anchor} source={source} light={sources.light} />)
      )}{' '}
    </span>
  ));
}

/** Note on why the answer ended here. */
function StatusLine({ answer }: { readonly answer: Answer }) {
  const word = statusWord(answer);
  const dropped = answer.grounding?.dropped ?? 0;
  return (
    <>
      {word !== undefined && <p className="small quiet">{t(`search.answer.is.${word}`)}</p>}
      {dropped > 0 && <p className="small quiet">{t('search.answer.dropped', { n: dropped })}</p>}
    </>
  );
}

/** Note on an answer that is not the model's; undefined where there is none. */
function statusWord({ phase, status, words, isAbstained, wasStarted }: Answer) {
  // With insufficient records no model is called, so its absence is no news.
  if (isAbstained && !wasStarted && phase === 'ended') return undefined;
  if (phase === 'stopped' || phase === 'broken') return phase;
  if (status === 'timeout') return words.length > 0 ? 'cut' : 'timeout';
  if (status === 'unavailable') return wasStarted ? 'silent' : status;
  return status === 'quota_exceeded' ? status : undefined;
}
