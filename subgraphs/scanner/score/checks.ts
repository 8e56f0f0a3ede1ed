import { Fault } from '@landfall/kernel/core/fault';
import type { Steps } from '../shared/steps.ts';
import { InvalidDocument, refuse } from './document.ts';

/** Error of a step as a refusal with this reason where it is a Fault. */
export const asRefusal = (reason: string, error: unknown): never => {
  if (error instanceof Fault) return refuse(reason, error.message);
  throw error;
};

const MAX_MESSAGE = 400;

/** First line of a refusal: its slug and text, which may quote an unknown document. */
export const messageOf = ({ reason, message }: InvalidDocument): string =>
  `${reason}: ${message.slice(0, MAX_MESSAGE).replaceAll(/\p{C}/gu, '\uFFFD')}`;

/** Runner of checks that go on after a failure; it records the failures in their order. */
export class Checks {
  readonly failures: string[] = [];

  /** Value of a check; undefined if it failed. */
  attempt<Value>(run: () => Value): Value | undefined {
    try {
      return run();
    } catch (error) {
      return this.#note(error);
    }
  }

  /** Value of a check in steps; undefined if it failed. */
  *attemptSteps<Value>(steps: Steps<Value>): Steps<Value | undefined> {
    try {
      return yield* steps;
    } catch (error) {
      return this.#note(error);
    }
  }

  passes(run: () => void): boolean {
    const before = this.failures.length;
    this.attempt(run);
    return this.failures.length === before;
  }

  *passesSteps(steps: Steps<void>): Steps<boolean> {
    const before = this.failures.length;
    yield* this.attemptSteps(steps);
    return this.failures.length === before;
  }

  #note(error: unknown): undefined {
    if (!(error instanceof InvalidDocument)) throw error;
    this.failures.push(messageOf(error));
  }
}
