import { useCallback, useEffect, useRef, useState } from 'react';
import { type Problem, problemOf } from '../../lib/problem.ts';
import { searchSessionId } from '../../lib/search-events.ts';
import { hasScope, sessionFetch } from '../../lib/session.ts';
import { type Answer, advanced, closed, NEW_ANSWER, stopped } from './answer.ts';
import { AnswerRefused, type Question, readAnswer } from './answer-stream.ts';

/** Whether the user may request answers of a model (spec 5.7). */
export const canSynthesize = (): boolean => hasScope('search:synthesize') || hasScope('advisory-ai:admin');

/** Streaming answer. `problem` is the server's error in its place. */
export type Answering = {
  readonly answer: Answer | undefined;
  readonly problem: Problem | undefined;
  readonly stop: () => void;
};

type State = { readonly key: string; readonly answer: Answer; readonly problem?: Problem };

/** Requests an answer and reads its stream; another query, or leaving the page, ends the previous stream. */
export function useAnswer(question: Omit<Question, 'sessionId'> | undefined): Answering {
  const [state, setState] = useState<State>();
  const line = useRef<AbortController>(undefined);
  const key = question === undefined ? '' : JSON.stringify(question);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key covers every parameter.
  useEffect(() => {
    if (question === undefined) return setState(undefined);
    const stop = new AbortController();
    line.current = stop;
    const change = (next: (answer: Answer) => Answer) =>
      setState((before) => ({ key, answer: next(before?.key === key ? before.answer : NEW_ANSWER) }));
    change(() => NEW_ANSWER);
    readAnswer(
      { ...question, sessionId: searchSessionId },
      stop.signal,
      (name, data) => !stop.signal.aborted && change((answer) => advanced(answer, name, data)),
      sessionFetch,
    )
      .then(() => change(closed))
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        if (error instanceof AnswerRefused) setState({ key, answer: NEW_ANSWER, problem: error.problem });
        // A stream that broke after its start: what arrived stays.
        else setState((before) => broken(before, key, error));
      });
    return () => stop.abort();
  }, [key]);

  const stop = useCallback(() => {
    line.current?.abort();
    setState((before) => before && { ...before, answer: stopped(before.answer) });
  }, []);
  const isOld = state === undefined || state.key !== key;
  return { answer: isOld ? undefined : state.answer, problem: isOld ? undefined : state.problem, stop };
}

function broken(before: State | undefined, key: string, error: unknown): State {
  const answer = before?.key === key ? before.answer : NEW_ANSWER;
  return answer.phase === 'asked' ? { key, answer, problem: problemOf(error) } : { key, answer: closed(answer) };
}
